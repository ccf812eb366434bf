import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import type { AgentMessage } from "../../../agent/types.ts";
import type { HostEvent, Rewind, RewindTarget } from "../../../protocol/hostEvents.ts";
import { UserError } from "../../common/userError.ts";
import type { TrackedFile } from "../model/change.ts";
import { formatEdits } from "../model/schema.ts";
import type { WrittenReviews } from "../writtenReviews.ts";
import type { BranchConflict } from "./branchPlan.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { PlannedFile } from "./rewindPlan.ts";
import type { RewindQuestion } from "./rewindQuestion.ts";

/** The conversation as far as a rewind concerns it. */
interface RewoundChat {
  readonly isRunning: boolean;
  /** Of its root agent, once there is one. */
  readonly rootId?: string | undefined;
  /** Removes a message of the user's with all that followed. */
  rewindTo(messageId: string): Promise<RemovedMessages>;
  /** Adds messages again that a rewind removed, ahead of those that came since. */
  putBack(messages: readonly AgentMessage[], after?: string): Promise<void>;
  emit(event: HostEvent): void;
}

export interface RemovedMessages {
  messages: AgentMessage[];
  /** The id of the last message that is left; empty when none is. */
  after: string;
  /** The number of the log's entry by which they were removed. */
  seq: number;
}

export interface RewindDependencies {
  checkpoints: Pick<
    Checkpoints,
    | "planRewind"
    | "lostSince"
    | "rewind"
    | "planBranch"
    | "undoBranch"
    | "planUndo"
    | "undoRewind"
    | "saveMarks"
    | "loadMarks"
  >;
  applied: Pick<WrittenReviews, "takeOut" | "putBack" | "putBackSaved">;
  /** What was chosen; undefined for no. */
  confirm(question: RewindQuestion): Promise<RewindTarget | undefined>;
  /** Runs a step when no edit is being written. */
  inTurn<T>(step: () => Promise<T>): Promise<T>;
  /** Called with the files that a rewind, or its undo, changed. */
  onFiles?(chat: RewoundChat, rewind: RewoundFiles, paths: readonly string[]): Promise<void>;
  /** Shows what others built on a branch's changes, so that it stayed. */
  onConflicts?(conflicts: readonly BranchConflict[], branch: string): Promise<void>;
}

interface RewoundFiles {
  what: RewindTarget;
  isUndone: boolean;
  /** The agent whose changes and whose agents' changes alone were undone. */
  branch?: string;
}

/** What agents are given after a rewind of files alone: their conversation knows nothing of it. */
export function rewoundNote(paths: readonly string[], { isUndone, branch }: RewoundFiles): string {
  const files = paths.slice(0, 40).join(", ") + (paths.length > 40 ? ` and ${paths.length - 40} more` : "");
  if (branch !== undefined) {
    const whose = `what ${branch} and the agents that it started changed`;
    return isUndone
      ? `The user brought back ${whose}, in ${files}.`
      : `The user undid ${whose}, in ${files}. What others changed there stayed. Read these files again before you rely on them.`;
  }
  return isUndone
    ? `The user undid a rewind of files: ${files} hold again what they held before it.`
    : `The user rewound files, and left the conversation as it is: ${files} hold what they held before an earlier message, with what the user changed since.`;
}

type IsAgreed = (now: readonly PlannedFile[]) => boolean;
type Branch = NonNullable<Rewind["branch"]>;

/** A rewind that can be undone. */
interface Done {
  rewind: Rewind;
  /** What was removed from the conversation. */
  messages(): Promise<readonly AgentMessage[]>;
  /** What waited for Keep or Undo, or what was kept of it before the editor was closed. */
  pending(): Promise<readonly TrackedFile[] | string | undefined>;
}

/** Rewinds files, the conversation or both to before a message of the user's. Each rewind can be undone, the latest first. */
export class Rewinds {
  readonly #dependencies: RewindDependencies;
  /** By chat, the latest one last. */
  readonly #done = new WeakMap<RewoundChat, readonly Done[]>();

  constructor(dependencies: RewindDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Asks once; where both could go back, the user may choose one of them alone. A message that is only to be sent
   * again is asked about where files are concerned. Throws a `UserError` when it can't be done; then nothing is changed.
   */
  async rewind(chat: RewoundChat, messageId: string, asked: RewindTarget, isResend = false): Promise<void> {
    const { checkpoints, confirm } = this.#dependencies;
    refuseWhileRunning(chat);
    const plan = async () => (asked === "conversation" ? [] : checkpoints.planRewind(messageId));
    const lost = await checkpoints.lostSince(messageId);
    const { namesAll, rewindQuestion } = await import("./rewindQuestion.ts");
    // Asked again when the user has changed more meanwhile than the question named.
    for (let isDone = false; !isDone; ) {
      const files = await plan();
      refuseNothing(asked, files);
      const isHarmless = isResend && files?.length === 0 && lost.length === 0;
      const what = isHarmless ? asked : await confirm(rewindQuestion(asked, files ?? [], lost));
      if (what === undefined) return;
      isDone = await this.#dependencies.inTurn(async () => {
        refuseWhileRunning(chat);
        const isFiles = what !== "conversation" && files !== undefined && files.length > 0;
        const isAgreed: IsAgreed | undefined = isFiles ? (now) => namesAll(files, now) : undefined;
        return this.#apply(chat, { messageId, what, id: randomUUID() }, isAgreed);
      });
    }
  }

  /**
   * Undoes what an agent and those that it started changed, and leaves what others did. Asks once. `branch` throws a
   * `UserError` while one of them works. It is undone like a rewind of files.
   */
  async undoBranch(chat: RewoundChat, branch: () => Branch): Promise<void> {
    const { checkpoints, confirm, inTurn } = this.#dependencies;
    const { agentId, name } = branch();
    const { branchQuestion } = await import("./branchPlan.ts");
    if ((await confirm(branchQuestion(name, await checkpoints.planBranch(agentId)))) === undefined) return;
    const conflicts = await inTurn(async () => {
      branch();
      const id = randomUUID();
      const undone = await checkpoints.undoBranch(agentId, id);
      const rewind: Rewind = { messageId: "", what: "files", id, branch: { agentId, name } };
      if (undone.files.length > 0) {
        await this.#settle(
          chat,
          rewind,
          undone.files.map(({ path }) => path),
        );
      }
      return undone.conflicts;
    });
    await this.#dependencies.onConflicts?.(conflicts, name);
  }

  /** Reverts what the latest rewind of the chat did. What was changed since stays, or is named in a question. */
  async undo(chat: RewoundChat): Promise<void> {
    const { confirm, inTurn } = this.#dependencies;
    const { isLossless, namesAll, undoQuestion } = await import("./rewindQuestion.ts");
    for (let isDone = false; !isDone; ) {
      const done = this.#done.get(chat)?.at(-1);
      if (done === undefined) throw new UserError(t("There is no rewind to undo."));
      // What was undone of a branch comes back while others work, as it went.
      if (done.rewind.branch === undefined) refuseWhileRunning(chat);
      const files = await this.#planUndo(done.rewind);
      if (!isLossless(files) && (await confirm(undoQuestion(done.rewind.what, files))) === undefined) return;
      isDone = await inTurn(async () => {
        if (done.rewind.branch === undefined) refuseWhileRunning(chat);
        return this.#done.get(chat)?.at(-1) === done && this.#undo(chat, done, (now) => namesAll(files, now));
      });
    }
  }

  /** Rewinds of before the editor was closed, the latest last. */
  adopt(rewinds: readonly Pick<Done, "rewind" | "messages">[], chat: RewoundChat): void {
    const { checkpoints } = this.#dependencies;
    // Marks that can't be read any more do not keep files and messages from coming back.
    const marksOf = ({ what, id, messageId }: Rewind) =>
      what === "conversation" ? undefined : checkpoints.loadMarks(id ?? messageId).catch(() => undefined);
    this.#done.set(
      chat,
      rewinds.map((done) => ({ ...done, pending: async () => marksOf(done.rewind) })),
    );
  }

  /** Files are rewound where `isAgreed` is given. False, with nothing done, when the user has not agreed to it as it is now. */
  async #apply(chat: RewoundChat, rewind: Rewind & { id: string }, isAgreed?: IsAgreed): Promise<boolean> {
    const { checkpoints } = this.#dependencies;
    const { id, messageId, what } = rewind;
    const paths = isAgreed === undefined ? [] : await checkpoints.rewind(messageId, id, isAgreed);
    if (paths === undefined) return false;
    const removed = what === "files" ? undefined : await this.#rewindChat(chat, messageId, isAgreed && id);
    await this.#settle(chat, rewind, paths, removed);
    return true;
  }

  /** What belongs to files that were rewound. */
  async #settle(
    chat: RewoundChat,
    rewind: Rewind & { id?: string },
    paths: readonly string[],
    removed?: RemovedMessages,
  ): Promise<void> {
    const { checkpoints, applied } = this.#dependencies;
    const { id = "", what } = rewind;
    const pending = await applied.takeOut(paths);
    if (paths.length > 0) await this.#dependencies.onFiles?.(chat, { what, isUndone: false, ...named(rewind) }, paths);
    // Kept for an undo after a reload; what can't be kept is still here until then.
    if (pending.length > 0) await checkpoints.saveMarks(id, formatEdits(pending)).catch(() => undefined);
    const { messages = [], after, seq } = removed ?? {};
    const known: Rewind = { ...rewind, ...(seq !== undefined && { seq }), ...(after !== undefined && { after }) };
    const done = { rewind: known, messages: async () => messages, pending: async () => pending };
    this.#setUndoable(chat, [...(this.#done.get(chat) ?? []), done]);
  }

  async #rewindChat(chat: RewoundChat, messageId: string, rewindId: string | undefined): Promise<RemovedMessages> {
    try {
      return await chat.rewindTo(messageId);
    } catch (error) {
      if (rewindId !== undefined) await this.#dependencies.checkpoints.undoRewind(rewindId);
      throw error;
    }
  }

  async #planUndo({ what, id, messageId }: Rewind): Promise<readonly PlannedFile[]> {
    return what === "conversation" ? [] : this.#dependencies.checkpoints.planUndo(id ?? messageId);
  }

  async #undo(chat: RewoundChat, done: Done, isAgreed: IsAgreed): Promise<boolean> {
    const { checkpoints, applied } = this.#dependencies;
    const { what, id, messageId, after } = done.rewind;
    const messages = what === "files" ? [] : await done.messages();
    const pending = await done.pending();
    const paths = what === "conversation" ? [] : await checkpoints.undoRewind(id ?? messageId, isAgreed);
    if (paths === undefined) return false;
    if (paths.length > 0)
      await this.#dependencies.onFiles?.(chat, { what, isUndone: true, ...named(done.rewind) }, paths);
    if (typeof pending === "string") await applied.putBackSaved(pending);
    else if (pending !== undefined) await applied.putBack(pending);
    if (messages.length > 0) await chat.putBack(messages, after);
    this.#setUndoable(chat, this.#done.get(chat)?.filter((each) => each !== done) ?? []);
    return true;
  }

  #setUndoable(chat: RewoundChat, stack: readonly Done[]): void {
    this.#done.set(chat, stack);
    const undoable = stack.at(-1)?.rewind;
    const earlier = stack.slice(0, -1).map(({ rewind }) => rewind);
    chat.emit({
      type: "rewind_changed",
      ...(undoable !== undefined && { undoable }),
      ...(earlier.length > 0 && { earlier }),
    });
  }
}

function named({ branch }: Rewind): Pick<RewoundFiles, "branch"> {
  return branch === undefined ? {} : { branch: branch.name };
}

function refuseWhileRunning(chat: RewoundChat): void {
  if (chat.isRunning) throw new UserError(t("Stop the agents first, then rewind."));
}

function refuseNothing(asked: RewindTarget, files: readonly PlannedFile[] | undefined): void {
  if (asked !== "files") return;
  if (files === undefined) {
    throw new UserError(t("No file contents were recorded for this message. Rewind the conversation alone."));
  }
  if (files.length === 0) {
    throw new UserError(t("No agent has changed a file since this message, so there is nothing to rewind."));
  }
}
