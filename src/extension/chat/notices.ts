import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import type { LimitName } from "../../agent/index.ts";
import type { HostEvent, Notice, Question } from "../../protocol/hostEvents.ts";
import type { HostState } from "../../protocol/hostState.ts";
import { LeftDecisions } from "../approvals/leftDecisions.ts";
import { PendingDecisions } from "../approvals/pendingDecisions.ts";
import { failedRequestProblem, type ModelProblem } from "../models/problems.ts";
import type { RunEnd } from "./runs/runEvents.ts";

/** What notices and questions need of a chat: its state, and where they are emitted. */
export interface NoticedChat {
  readonly host: Pick<HostState, "notices">;
  emit(event: HostEvent): void;
}

/** The notices a chat shows. A new run takes them down. */
export class ChatNotices {
  readonly #chat: NoticedChat;

  constructor(chat: NoticedChat) {
    this.#chat = chat;
  }

  show(notice: Notice): void {
    this.#chat.emit({ type: "notice_shown", notice });
  }

  close(noticeId: string): void {
    const isOpen = this.#chat.host.notices.some(({ id }) => id === noticeId);
    if (isOpen) this.#chat.emit({ type: "notice_closed", noticeId });
  }

  clear(ids: readonly string[] = this.ids()): void {
    for (const id of ids) this.close(id);
  }

  ids(): string[] {
    return this.#chat.host.notices.map(({ id }) => id);
  }
}

type AskedQuestion = Omit<Question, "id">;

/** What agents ask the user. Each waits until it is answered or its agent is stopped. */
export class Questions {
  readonly #pending: PendingDecisions<AskedQuestion, string>;
  readonly #left: LeftDecisions<string>;

  /** `left`: those that waited when the editor ended. */
  constructor(emit: (event: HostEvent) => void, newId: () => string, left = new LeftDecisions<string>()) {
    this.#left = left;
    this.#pending = new PendingDecisions({
      newId,
      show({ id, requests: [asked] }) {
        if (asked !== undefined) emit({ type: "question_asked", question: { ...asked, id } });
      },
      close({ id: questionId }, answer) {
        emit({ type: "question_answered", questionId, ...(answer === undefined ? {} : { answer }) });
      },
    });
  }

  /** Resolves with the user's words. Rejects with the signal's reason, and the question is withdrawn. */
  async ask(asked: AskedQuestion, signal: AbortSignal): Promise<string> {
    const { id, answer } = this.#left.claim(questionKey(asked)) ?? {};
    return answer ?? this.#pending.wait(asked, signal, id === undefined ? {} : { id });
  }

  /** False when the question does not wait any more: a second click answers nothing. */
  answer(questionId: string, text: string): boolean {
    return this.#pending.answer(questionId, text.trim());
  }
}

/** The same call asks the same. */
export function questionKey({ agentId, callId, text, options }: AskedQuestion): string {
  return JSON.stringify([agentId, callId, text, options]);
}

const limitSettings: Partial<Record<LimitName, string>> = {
  turns: "arbor.limits.maxTurns",
  spend: "arbor.limits.maxCost",
  cost: "arbor.limits.maxCost",
};

/** What is shown when a run of the root agent ended otherwise than by an answer or by their own stop. */
export function runNotice(end: RunEnd, reachedLimit: LimitName | undefined): Notice | undefined {
  // A run that ended at a budget was ended there by the user.
  if (reachedLimit !== undefined && end.error?.code === "limit") {
    const setting = limitSettings[reachedLimit];
    return noticeOf("warning", {
      text:
        setting === undefined
          ? t(
              "The run reached its limit of {0}. Raise it, or retry to go on with a fresh count.",
              limitWords(reachedLimit),
            )
          : t(
              "The run reached its limit of {0} ({1}). Raise it, or retry to go on with a fresh count.",
              limitWords(reachedLimit),
              setting,
            ),
      actions: ["retry", "openSettings"],
    });
  }
  if (end.reason !== "error") return undefined;
  if (end.error?.code === "max_tokens") {
    return noticeOf("error", {
      text: t("The answer reached its length limit. Ask for the rest, or pick a model with longer answers."),
      actions: ["selectModel", "retry"],
    });
  }
  const failed = end.messages.findLast((message) => message.role === "assistant");
  const problem = failed?.role === "assistant" ? failedRequestProblem(failed) : undefined;
  return noticeOf("error", problem ?? { text: sentence(end.error?.message), actions: ["retry", "showLog"] });
}

function limitWords(limit: LimitName): string {
  switch (limit) {
    case "turns":
      return t("turns");
    case "spend":
      return t("spend");
    case "cost":
      return t("cost");
    case "tokens":
      return t("tokens");
    case "depth":
      return t("depth");
    case "iterations":
      return t("iterations");
    case "time":
      return t("time");
    default:
      limit satisfies never;
      return "";
  }
}

/** A problem as a notice of its own. */
export function noticeOf(level: Notice["level"], { text, actions, keyOf }: ModelProblem): Notice {
  return { id: randomUUID(), level, text, actions, ...(keyOf !== undefined && { keyOf }) };
}

function sentence(message: string | undefined): string {
  return message === undefined || message === "" ? t("The run failed without saying why.") : message;
}
