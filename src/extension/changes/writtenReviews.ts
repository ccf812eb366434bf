import { together } from "../common/userError.ts";
import { acceptHunks } from "./acceptHunks.ts";
import { ChangeStore } from "./changeStore.ts";
import type { CallOrigin } from "./journal/callRecord.ts";
import type { EditJournal } from "./journal/editJournal.ts";
import {
  type EditProposal,
  type ReviewOutcome,
  type TrackedFile,
  titlePart,
  type WrittenHunk,
} from "./model/change.ts";
import { openProposal } from "./model/openProposal.ts";
import { filesInScope, inScope, type WrittenScope } from "./model/scope.ts";
import { liveText } from "./model/trackedLines.ts";
import { typeInto } from "./model/typeInto.ts";
import { coalesced, keepHunks, unanswerable, withOthers } from "./model/undoHunks.ts";
import { currentTextsOf, outcomeOf } from "./outcome.ts";
import { loadEdits } from "./persistedEdits.ts";
import { redoInFile } from "./redoWritten.ts";
import { currentText, type RecordingStore, type ReviewedWorkspace, recordingWorkspace } from "./reviewedWorkspace.ts";
import { type UndoneFile, undoInFile, undoRounds } from "./undoWritten.ts";

export interface WrittenDependencies {
  store: ChangeStore;
  workspace: ReviewedWorkspace;
  /** Records the writes as well. */
  history?: RecordingStore;
  newId(): string;
  /** Runs a step when no other write is under way. */
  inTurn<T>(command: () => Promise<T>): Promise<T>;
  /** Called with the files that an undo or its redo changed. */
  onUndone?(paths: readonly string[]): Promise<void>;
  /** Resolves when the store is saved where a reload finds it: an edit is reported only then. */
  onceSaved?(): Promise<void>;
  /** Resolves when it is saved which files an undo, or its redo, is about to write. */
  onceIntended?(): Promise<void>;
  /** Called before each write. Default: a write that is cut off is not known of. */
  journal?: EditJournal;
}

interface ApplyOptions {
  /** From the root agent down to the one that writes. */
  agentIds: readonly string[];
  /** Every hunk can be kept or undone later; else it is kept. */
  isPending: boolean;
  /** The chat that its call belongs to. */
  chatId?: string;
  /** Where the journal has it. Absent where nothing has to be reported after a crash. */
  origin?: CallOrigin;
}

/** What became of written hunks. */
export type WrittenAnswer = "kept" | "undone";
type AnswerListener = (hunks: readonly WrittenHunk[], answer: WrittenAnswer) => Promise<void>;

/** Edits that are written at once, and the answers to them afterwards. */
export class WrittenReviews {
  readonly #dependencies: WrittenDependencies;
  readonly #listeners = new Set<AnswerListener>();

  constructor(dependencies: WrittenDependencies) {
    this.#dependencies = dependencies;
  }

  /** Writes what fits, all of the files or none. */
  apply(
    proposal: EditProposal,
    { agentIds, isPending, chatId, origin }: ApplyOptions,
    signal: AbortSignal,
  ): Promise<ReviewOutcome> {
    const { workspace, history, newId, inTurn, store, journal } = this.#dependencies;
    return inTurn(async () => {
      signal.throwIfAborted();
      const opened = openProposal(newId(), proposal, await currentTextsOf(workspace, proposal));
      const { agent, agentPath, callId } = proposal;
      const origins = { callId, ...titlePart(agent), ...(chatId !== undefined && { chatId }) };
      const author = { agentIds, agentPath, editId: opened.id, ...origins };
      const recorded = isPending ? store : new ChangeStore();
      const proposals = new ChangeStore();
      proposals.addProposal(opened);
      const stores = history === undefined ? [recorded] : [history, recorded];
      const recording = recordingWorkspace({ stores, workspace, author, newId });
      const context = {
        ...{ store: proposals, workspace: recording, isOpen: () => false },
        ...(journal !== undefined && { writeAhead: journal }),
      };
      if (origin !== undefined) await journal?.open(origin, opened, () => proposals.proposal(opened.id));
      try {
        for (const { path, hunks } of opened.files) {
          const hunkIds = new Set(hunks.map(({ id }) => id));
          await acceptHunks(context, { proposalId: opened.id, path, hunkIds });
        }
      } catch (error) {
        const { undone } = recorded;
        await this.#undo(recorded, { editId: opened.id });
        // The user undid nothing: what was never reported as written is not theirs to redo.
        recorded.setUndone(undone);
        throw error;
      }
      if (isPending) store.setUndone([]);
      // Only now: until all files are written, what this call wrote is undone when one fails.
      for (const file of filesInScope(recorded.files, { editId: opened.id })) recorded.put(coalesced(file, opened.id));
      await this.#dependencies.onceSaved?.();
      if (isPending) await journal?.handOver(opened.id);
      return outcomeOf(workspace, proposals.proposal(opened.id) ?? opened, "conflicted");
    });
  }

  keep(scope: WrittenScope): Promise<void> {
    const { inTurn, store } = this.#dependencies;
    return inTurn(async () => {
      const files = filesInScope(store.files, scope);
      for (const file of files) store.put(keepHunks(file, inScope(scope)));
      await this.#notifyAnswered(files, "kept");
    });
  }

  /** Called with the hunks that the user has kept or undone, and waited for. */
  onDidAnswer(listener: AnswerListener): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  /**
   * Offers hunks that turned out to be in files when an earlier window ended. Those that files do not hold stay out. To
   * be called in turn.
   */
  async adopt(files: readonly TrackedFile[]): Promise<void> {
    const { workspace, store } = this.#dependencies;
    for (const file of files) {
      const text = (await currentText(workspace, file.path))?.text ?? "";
      store.setWrittenText(file.path, text);
      const known = store.find(file.path);
      const current = liveText(file) === text ? file : typeInto(file, text);
      store.put(known === undefined ? current : withOthers(known, current));
    }
  }

  /**
   * Undoes what is meant and can be; the rest stays pending. Gives how many hunks those are. Throws a `UserError`
   * when a file can't be written, after the others were.
   */
  undo(scope: WrittenScope): Promise<number> {
    const { inTurn, store } = this.#dependencies;
    return inTurn(async () => {
      const before = filesInScope(store.files, scope);
      const isMove = (hunk: WrittenHunk) => hunk.kind === "move" && inScope(scope)(hunk);
      const moves = () => filesInScope(store.files, scope).flatMap(({ hunks }) => hunks.filter(isMove));
      const meant = moves();
      // Imports that were written for a move would lead nowhere without it.
      const withMoves = meant.flatMap(({ author }) => filesInScope(store.files, { editId: author.editId }));
      const others = withMoves.filter((file) => !before.includes(file));
      try {
        let left = await this.#undo(store, scope);
        for (const { id, author } of meant) {
          if (!moves().some((still) => still.id === id)) left += await this.#undo(store, { editId: author.editId });
        }
        return left;
      } finally {
        await this.#notifyAnswered([...before, ...others], "undone");
      }
    });
  }

  /**
   * Brings back what the latest undo took away, as pending again, built on what the user typed since. Gives how many
   * hunks could not come back, since the user changed their lines. Files that can't be written can be redone again.
   */
  redo(): Promise<number> {
    const { inTurn, store, workspace, onUndone, onceIntended, onceSaved } = this.#dependencies;
    return inTurn(async () => {
      const latest = store.undone.at(-1) ?? [];
      store.setUndone(store.undone.slice(0, -1), latest);
      await onceIntended?.();
      const results: PromiseSettledResult<number>[] = [];
      for (const file of latest) results.push(await settled(redoInFile({ store, workspace }, file)));
      const failed = latest.filter((_, index) => results[index]?.status === "rejected");
      await onceSaved?.();
      store.setUndone(failed.length > 0 ? [...store.undone, failed] : store.undone, []);
      await onUndone?.(latest.flatMap(({ before, pathAfter }) => [before.path, pathAfter]));
      const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
      if (failures.length > 0) throw together(failures);
      return results.reduce((sum, result) => sum + (result.status === "fulfilled" ? result.value : 0), 0);
    });
  }

  /** What was undone can't be redone any more. */
  forgetUndone(): void {
    this.#dependencies.store.setUndone([]);
  }

  /** The files with the hunks that wait in them, for `putBack`. */
  waitingIn(paths: readonly string[]): TrackedFile[] {
    return paths.flatMap((path) => this.#dependencies.store.find(path) ?? []);
  }

  /**
   * Forgets the pending hunks that files do not hold any more, after something else than typing changed the files. To be
   * called in turn.
   */
  async takeOut(paths: readonly string[]): Promise<void> {
    const { workspace, store } = this.#dependencies;
    for (const { path } of this.waitingIn(paths)) {
      store.setWrittenText(path, (await currentText(workspace, path))?.text ?? "");
      const file = store.find(path);
      if (file !== undefined) {
        const lost = unanswerable(file);
        store.put(keepHunks(file, (hunk) => lost.includes(hunk)));
      }
    }
    await this.#dependencies.onceSaved?.();
  }

  /** Knows the pending hunks again that were in these files, now that the files hold them again. To be called in turn. */
  async putBack(files: readonly TrackedFile[]): Promise<void> {
    const { workspace, store } = this.#dependencies;
    for (const file of files) {
      store.put(file);
      store.setWrittenText(file.path, (await currentText(workspace, file.path))?.text ?? "");
    }
    await this.#dependencies.onceSaved?.();
  }

  /** The same from what `formatEdits` made of the files, as far as they hold it now. To be called in turn. */
  async putBackSaved(json: string): Promise<void> {
    const { workspace } = this.#dependencies;
    const { files } = await loadEdits(json, async (path) => (await currentText(workspace, path))?.text);
    await this.putBack(files);
  }

  /** Those of them that do not wait any more. */
  async #notifyAnswered(before: readonly TrackedFile[], answer: WrittenAnswer): Promise<void> {
    const left = new Set(this.#dependencies.store.files.flatMap(({ hunks }) => hunks.map(({ id }) => id)));
    const answered = before.flatMap(({ hunks }) => hunks.filter(({ id }) => !left.has(id)));
    if (answered.length > 0) await Promise.all([...this.#listeners].map((listener) => listener(answered, answer)));
  }

  async #undo(store: ChangeStore, scope: WrittenScope): Promise<number> {
    const { workspace, onceIntended, onceSaved } = this.#dependencies;
    const isOfUser = store === this.#dependencies.store;
    const intend = async (file: UndoneFile) => {
      const others = store.underWay.filter(({ before }) => before.path !== file.before.path);
      store.setUndone(store.undone, [file, ...others]);
      await onceIntended?.();
    };
    const isMeant = inScope(scope);
    const moves = new Set<string>();
    const results: PromiseSettledResult<Awaited<ReturnType<typeof undoInFile>>>[] = [];
    for (const files of undoRounds(filesInScope(store.files, scope), isMeant)) {
      const left = store.files.flatMap(({ hunks }) => hunks.filter(({ id }) => moves.has(id)));
      const held = new Set(left.map(({ author }) => author.editId));
      const context = { workspace, store, ...(isOfUser && { intend }) };
      // Side by side: each file takes as long as what runs when it is saved.
      const round = await Promise.allSettled(files.map(({ path }) => undoInFile(context, path, isMeant, held)));
      // A redo goes the other way: a moved file leaves its old place before what was there is made again.
      results.unshift(...round);
      for (const hunk of files.flatMap(({ hunks }) => hunks)) {
        if (hunk.kind === "move" && isMeant(hunk)) moves.add(hunk.id);
      }
    }
    const undone = results.flatMap((result) => (result.status === "fulfilled" ? (result.value.file ?? []) : []));
    // Until then both files say what was about to be undone.
    if (isOfUser) {
      await onceSaved?.();
      store.setUndone(undone.length > 0 ? [...store.undone, undone] : store.undone, []);
    }
    await this.#dependencies.onUndone?.(undone.flatMap(({ before, pathAfter }) => [before.path, pathAfter]));
    const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    if (failures.length > 0) throw together(failures);
    return results.reduce((sum, result) => sum + (result.status === "fulfilled" ? result.value.conflicts : 0), 0);
  }
}

async function settled<T>(work: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await Promise.allSettled([work]);
  return result;
}
