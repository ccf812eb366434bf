import type { PermissionQueue } from "../../../src/extension/approvals/permissionQueue.ts";
import type { ProposalReviews } from "../../../src/extension/changes/proposalReviews.ts";
import type { Chat } from "../../../src/extension/chat/chat.ts";
import type { ChatRuns } from "../../../src/extension/chat/runs/chatRuns.ts";
import type { Approval, HostEvent, Question } from "../../../src/protocol/hostEvents.ts";

/** A rejection has the user's reason, or none: "". */
type Answer = "accept" | { reject: string };

/** How the user of a task answers. `asked` counts earlier questions of that kind. */
export interface UserScript {
  /** To a proposed edit. Default: accept. */
  edit?(edit: ProposedEdit, asked: number): Answer;
  /** To a command. Default: accept. */
  command?(command: string, asked: number): Answer;
  /** To `ask_user`. Default: no answer, so that the agent decides. */
  question?(question: Pick<Question, "text" | "options">, asked: number): string;
}

interface ProposedEdit {
  paths: readonly string[];
  /** The lines that it adds and removes. */
  added: string;
  removed: string;
}

/** What the user was shown, and answered. */
export interface AskedApproval {
  kind: "edit" | "command" | "fetch" | "read" | "mcp";
  /** A command as it would run; of an edit, its paths. */
  text: string;
  added: string;
  accepted: boolean;
}

export interface AskedQuestion {
  text: string;
  answer: string;
}

interface AnsweredParts {
  chat: Chat;
  permissions: PermissionQueue;
  proposals: ProposalReviews;
  runs: ChatRuns;
  script: UserScript;
  onError(error: unknown): void;
}

/**
 * A user who answers whatever a chat asks, as the script says. Addresses and files with secrets are refused: no task needs
 * them. A budget that is used up ends the run.
 */
export class ScriptedUser {
  readonly approvals: AskedApproval[] = [];
  readonly questions: AskedQuestion[] = [];
  /** A limit of the settings was reached. */
  isOutOfBudget = false;
  readonly #parts: AnsweredParts;
  readonly #seen = new Set<string>();

  constructor(parts: AnsweredParts) {
    this.#parts = parts;
  }

  observe(event: HostEvent): void {
    const { chat, runs, onError } = this.#parts;
    // After all who want the same answer have joined the question.
    const later = (answer: () => unknown) =>
      void setImmediate(() => Promise.resolve().then(answer).then(undefined, onError));
    if (event.type === "approval_requested" && !this.#seen.has(event.approval.id)) {
      this.#seen.add(event.approval.id);
      later(() => this.#decide(event.approval));
    }
    if (event.type === "question_asked") {
      const { id, text, options } = event.question;
      const answer = this.#parts.script.question?.({ text, options }, this.questions.length) ?? "";
      this.questions.push({ text, answer });
      later(() => chat.questions.answer(id, answer));
    }
    if (event.type === "budget_asked") {
      this.isOutOfBudget = true;
      later(() => runs.answerBudget(event.question.id, "stop"));
    }
  }

  #asked(kind: AskedApproval["kind"]): number {
    return this.approvals.filter((approval) => approval.kind === kind).length;
  }

  async #decide(approval: Approval): Promise<void> {
    const { permissions, script } = this.#parts;
    const { id, request } = approval;
    if (request === undefined) return this.#decideEdit(approval);
    const { kind, text } = request;
    const refused: Answer = { reject: "" };
    const answer = kind === "command" ? (script.command?.(text, this.#asked(kind)) ?? "accept") : refused;
    if (kind === "foreign" || kind === "hook") throw new Error("No task has agents of other programs, or hooks.");
    this.approvals.push({ kind, text, added: "", accepted: answer === "accept" });
    if (answer === "accept") permissions.decide(id, "accepted");
    else permissions.decide(id, "rejected", answer.reject === "" ? {} : { reason: answer.reject });
  }

  async #decideEdit({ id: proposalId, files }: Approval): Promise<void> {
    const { proposals, script } = this.#parts;
    const hunks = files.flatMap((file) => file.hunks);
    const paths = files.map(({ path }) => path);
    const added = hunks.flatMap(({ newLines }) => newLines).join("\n");
    const removed = hunks.flatMap(({ oldLines }) => oldLines).join("\n");
    const answer = script.edit?.({ paths, added, removed }, this.#asked("edit")) ?? "accept";
    this.approvals.push({ kind: "edit", text: paths.join(" "), added, accepted: answer === "accept" });
    if (answer !== "accept") {
      await proposals.reject({ proposalId }, answer.reject === "" ? undefined : answer.reject);
      return;
    }
    // What does not fit any more can't be accepted.
    if ((await proposals.accept({ proposalId })) > 0) await proposals.reject({ proposalId });
  }
}
