// Long because a rewind, its undo and what the end of the editor leaves of both are one state machine.
import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import type { AgentMessage } from "../../../agent/types.ts";
import type { HostEvent, Rewind, RewindTarget } from "../../../protocol/hostEvents.ts";
import { UserError } from "../../common/userError.ts";
import type { TrackedFile } from "../model/change.ts";
import { formatEdits } from "../model/schema.ts";
import type { WrittenReviews } from "../writtenReviews.ts";
import type { BranchConflict } from "./branchPlan.ts";
import type { Checkpoints, CutOffRewind } from "./checkpoints.ts";
import type { PlannedFile } from "./rewindPlan.ts";
import type { RewindQuestion } from "./rewindQuestion.ts";

/** The conversation as far as a rewind concerns it. */
interface RewoundChat {
  readonly isRunning: boolean;
  /** Another window has it. */
  readonly isReadOnly?: boolean;
  /** Of its root agent, once there is one. */
  readonly rootId?: string | undefined;
  /** Whether the root agent's conversation has the message. */
  hasMessage(messageId: string): boolean;
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
    | "forgetRewind"
    | "recheck"
    | "loadMarks"
  >;
  applied: Pick<WrittenReviews, "waitingIn" | "takeOut" | "putBack" | "putBackSaved">;
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
type Reached = Pick<CutOffRewind, "done" | "left">;

/** What is done when a rewind is about to write. */
interface Begun {
  begin(): void;
  marks(paths: readonly string[]): string | undefined;
  /** What waited for Keep or Undo then. */
  pending(): readonly TrackedFile[];
}

/** A rewind that can be undone. */
interface Done {
  rewind: Rewind;
  /** What was removed from the conversation. */
  messages(): Promise<readonly AgentMessage[]>;
  /** What waited for Keep or Undo, or what was kept of it before the editor was closed. */
  pending(): Promise<readonly TrackedFile[] | string | undefined>;
}

/**
 * Rewinds files, the conversation or both to before a message of the user's. Each rewind can be undone, the latest first.
 * Each, and each undo, is in the chat's log and in the checkpoints before the first file is written: where the editor ends
 * in the middle, the chat says when it is opened again which files were reached, and offers to undo it.
 */
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
      const rewind = { messageId: "", what: "files" as const, id: randomUUID(), branch: { agentId, name } };
      return this.#announced(chat, rewind, async (begun) => {
        const undone = await checkpoints.undoBranch(agentId, rewind.id, begun);
        if (undone.files.length > 0) {
          const paths = undone.files.map(({ path }) => path);
          await this.#settle(chat, rewind, { paths, pending: begun.pending() });
        }
        return undone.conflicts;
      });
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

  /**
   * Rewinds of before the editor was closed, the latest last. One that was under way then is checked against the files:
   * what did not happen of it is forgotten, and what did can be undone. What others built on a branch is shown then.
   */
  async adopt(rewinds: readonly Pick<Done, "rewind" | "messages">[], chat: RewoundChat): Promise<void> {
    const { checkpoints, inTurn } = this.#dependencies;
    // Marks that can't be read any more do not keep files and messages from coming back.
    const marksOf = ({ what, id, messageId }: Rewind) =>
      what === "conversation" ? undefined : checkpoints.loadMarks(id ?? messageId).catch(() => undefined);
    const known = rewinds.map((done): Done => ({ ...done, pending: async () => marksOf(done.rewind) }));
    this.#done.set(chat, known);
    const cutOff = known.at(-1);
    const underWay = cutOff?.rewind.underWay;
    if (cutOff === undefined || underWay === undefined || chat.isReadOnly === true) return;
    const { id, messageId, what, branch } = cutOff.rewind;
    const left = await inTurn(async () => {
      const found = what === "conversation" ? undefined : await checkpoints.recheck(id ?? messageId, underWay);
      const reached: Reached = found ?? { done: [], left: [] };
      const done =
        underWay === "rewind"
          ? await this.#cutOffRewind(chat, cutOff, reached)
          : await this.#cutOffUndo(chat, cutOff, reached);
      const all = (this.#done.get(chat) ?? []).flatMap((each) => (each === cutOff ? (done ?? []) : each));
      this.#setUndoable(chat, all);
      await found?.forgetUnmade();
      if (done === undefined) await checkpoints.forgetRewind(id ?? messageId);
      return done && reached.left;
    });
    if (branch === undefined || underWay === "undo" || left === undefined) return;
    const { conflicts } = await checkpoints.planBranch(branch.agentId);
    const ofReached = conflicts.filter(({ path }) => !left.includes(path));
    await this.#dependencies.onConflicts?.(ofReached, branch.name);
  }

  /** Undefined where nothing of it had happened. */
  async #cutOffRewind(chat: RewoundChat, cutOff: Done, { done, left }: Reached): Promise<Done | undefined> {
    const { underWay: _, ...rewind } = cutOff.rewind;
    const { what } = rewind;
    const isRemoved = what !== "files" && !chat.hasMessage(rewind.messageId);
    if (done.length === 0 && !isRemoved) return undefined;
    const isWhole = left.length === 0 && (what === "files" || isRemoved);
    const known: Rewind = {
      ...rewind,
      what: isRemoved ? what : "files",
      ...(isWhole ? {} : { interrupted: { in: "rewind", done: [...done], left: [...left] } }),
    };
    await this.#dependencies.applied.takeOut(done);
    if (done.length > 0)
      await this.#dependencies.onFiles?.(chat, { what: known.what, isUndone: false, ...named(known) }, done);
    return { ...cutOff, rewind: known };
  }

  /** Undefined where it was complete. */
  async #cutOffUndo(chat: RewoundChat, cutOff: Done, { done, left }: Reached): Promise<Done | undefined> {
    const { underWay: _, ...rewind } = cutOff.rewind;
    const { what, messageId } = rewind;
    const isPutBack = what !== "files" && chat.hasMessage(messageId);
    if (done.length === 0 && !isPutBack) return { ...cutOff, rewind };
    if (done.length > 0) await this.#dependencies.onFiles?.(chat, { what, isUndone: true, ...named(rewind) }, done);
    if (left.length === 0 && (what === "files" || isPutBack)) {
      await this.#putBackPending(cutOff);
      return undefined;
    }
    return { ...cutOff, rewind: { ...rewind, interrupted: { in: "undo", done: [...done], left: [...left] } } };
  }

  /** Files are rewound where `isAgreed` is given. False, with nothing done, when the user has not agreed to it as it is now. */
  async #apply(chat: RewoundChat, rewind: Rewind & { id: string }, isAgreed?: IsAgreed): Promise<boolean> {
    const { checkpoints } = this.#dependencies;
    const { id, messageId, what } = rewind;
    return this.#announced(chat, rewind, async (begun) => {
      const paths = isAgreed === undefined ? [] : await checkpoints.rewind(messageId, id, { ...begun, isAgreed });
      if (paths === undefined) return false;
      if (what !== "files") begun.begin();
      const removed = what === "files" ? undefined : await this.#rewindChat(chat, messageId, isAgreed && id);
      await this.#settle(chat, rewind, { paths, pending: begun.pending(), ...(removed && { removed }) });
      return true;
    });
  }

  /**
   * Runs a step that rewinds: as soon as it begins to, the chat's log says so. Where it comes to nothing, what could be
   * undone before can be again.
   */
  async #announced<T>(chat: RewoundChat, rewind: Rewind, step: (begun: Begun) => Promise<T>): Promise<T> {
    const before = this.#done.get(chat) ?? [];
    let isBegun = false;
    let pending: readonly TrackedFile[] = [];
    const begin = () => {
      if (!isBegun) this.#emitStack(chat, [...before.map((done) => done.rewind), { ...rewind, underWay: "rewind" }]);
      isBegun = true;
    };
    const marks = (paths: readonly string[]) => {
      pending = this.#dependencies.applied.waitingIn(paths);
      return pending.length === 0 ? undefined : formatEdits(pending);
    };
    try {
      return await step({ begin, marks, pending: () => pending });
    } finally {
      if (isBegun && (this.#done.get(chat) ?? before) === before) this.#setUndoable(chat, before);
    }
  }

  /** What belongs to files that were rewound. */
  async #settle(
    chat: RewoundChat,
    rewind: Rewind,
    {
      paths,
      pending,
      removed,
    }: { paths: readonly string[]; pending: readonly TrackedFile[]; removed?: RemovedMessages },
  ): Promise<void> {
    const { what } = rewind;
    await this.#dependencies.applied.takeOut(paths);
    if (paths.length > 0) await this.#dependencies.onFiles?.(chat, { what, isUndone: false, ...named(rewind) }, paths);
    const { messages = [], after, seq } = removed ?? {};
    const known: Rewind = { ...rewind, ...(seq !== undefined && { seq }), ...(after !== undefined && { after }) };
    const done = { rewind: known, messages: async () => messages, pending: async () => pending };
    this.#setUndoable(chat, [...(this.#done.get(chat) ?? []), done]);
  }

  async #rewindChat(chat: RewoundChat, messageId: string, rewindId: string | undefined): Promise<RemovedMessages> {
    try {
      return await chat.rewindTo(messageId);
    } catch (error) {
      if (rewindId !== undefined) {
        await this.#dependencies.checkpoints.undoRewind(rewindId);
        await this.#dependencies.checkpoints.forgetRewind(rewindId);
      }
      throw error;
    }
  }

  async #planUndo({ what, id, messageId }: Rewind): Promise<readonly PlannedFile[]> {
    return what === "conversation" ? [] : this.#dependencies.checkpoints.planUndo(id ?? messageId);
  }

  async #undo(chat: RewoundChat, done: Done, isAgreed: IsAgreed): Promise<boolean> {
    const { checkpoints } = this.#dependencies;
    const { what, id, messageId, after } = done.rewind;
    const messages = what === "files" ? [] : await done.messages();
    const before = this.#done.get(chat) ?? [];
    const rewinds = before.map(({ rewind }) => rewind);
    let isBegun = false;
    const begin = () => {
      if (!isBegun) this.#emitStack(chat, rewinds.with(-1, { ...done.rewind, underWay: "undo" }));
      isBegun = true;
    };
    try {
      const paths = what === "conversation" ? [] : await checkpoints.undoRewind(id ?? messageId, { isAgreed, begin });
      if (paths === undefined) return false;
      if (paths.length > 0)
        await this.#dependencies.onFiles?.(chat, { what, isUndone: true, ...named(done.rewind) }, paths);
      begin();
      await this.#putBackPending(done);
      if (messages.length > 0) await chat.putBack(messages, after);
      this.#setUndoable(
        chat,
        before.filter((each) => each !== done),
      );
    } finally {
      if (isBegun && (this.#done.get(chat) ?? before) === before) this.#setUndoable(chat, before);
    }
    await checkpoints.forgetRewind(id ?? messageId);
    return true;
  }

  async #putBackPending(done: Done): Promise<void> {
    const { applied } = this.#dependencies;
    const pending = await done.pending();
    if (typeof pending === "string") await applied.putBackSaved(pending);
    else if (pending !== undefined) await applied.putBack(pending);
  }

  #setUndoable(chat: RewoundChat, stack: readonly Done[]): void {
    this.#done.set(chat, stack);
    this.#emitStack(
      chat,
      stack.map(({ rewind }) => rewind),
    );
  }

  #emitStack(chat: RewoundChat, rewinds: readonly Rewind[]): void {
    const undoable = rewinds.at(-1);
    const earlier = rewinds.slice(0, -1);
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
