import { acceptHunks } from "../acceptHunks.ts";
import { currentText, type ReviewedWorkspace } from "../currentText.ts";
import { openProposal } from "../openProposal.ts";
import { ProposalStore } from "../proposalStore.ts";
import { currentTextsOf, outcomeOf } from "../proposalTexts.ts";
import type { EditProposal, ReviewOutcome } from "../review.ts";
import type { AppliedFile } from "./appliedEdits.ts";
import { type AppliedScope, filesMeantBy, isMeantBy } from "./appliedScope.ts";
import { AppliedStore } from "./appliedStore.ts";
import { coalesced } from "./coalesce.ts";
import { recordingWorkspace } from "./recordingWorkspace.ts";
import { loadEdits } from "./savedEdits.ts";
import { keepHunks, unanswerable } from "./undoHunks.ts";
import { undoInFile } from "./undoInFile.ts";

export interface AppliedDependencies {
  store: AppliedStore;
  workspace: ReviewedWorkspace;
  newId(): string;
  /** Runs a step when no other write is under way. */
  inTurn<T>(command: () => Promise<T>): Promise<T>;
  /** Resolves when the store is kept where a reload finds it: an edit is told of only then. */
  onceSaved?(): Promise<void>;
}

/** Edits that are written at once, and the answers to them afterwards. */
export class AppliedReviews {
  readonly #dependencies: AppliedDependencies;

  constructor(dependencies: AppliedDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Writes what fits, all of the files or none. With `isPending` every hunk can be kept or undone later; else it is
   * kept. `agentIds` lead from the root agent down to the one that writes.
   */
  apply(
    proposal: EditProposal,
    { agentIds, isPending }: { agentIds: readonly string[]; isPending: boolean },
    signal: AbortSignal,
  ): Promise<ReviewOutcome> {
    const { workspace, newId, inTurn, store } = this.#dependencies;
    return inTurn(async () => {
      signal.throwIfAborted();
      const opened = openProposal(newId(), proposal, await currentTextsOf(workspace, proposal));
      const author = { agentIds, agentPath: proposal.agentPath, editId: opened.id };
      const recorded = isPending ? store : new AppliedStore();
      const proposals = new ProposalStore();
      proposals.add(opened);
      const recording = recordingWorkspace({ store: recorded, workspace, author, newId });
      const context = { store: proposals, workspace: recording, isOpen: () => false };
      try {
        for (const { path, hunks } of opened.files) {
          const hunkIds = new Set(hunks.map(({ id }) => id));
          await acceptHunks(context, { proposalId: opened.id, path, hunkIds });
        }
      } catch (error) {
        await this.#undo(recorded, { editId: opened.id });
        throw error;
      }
      // Only now: until all files are written, what this call wrote is taken back by itself when one fails.
      for (const file of filesMeantBy(recorded.files, { editId: opened.id })) recorded.put(coalesced(file, opened.id));
      await this.#dependencies.onceSaved?.();
      return outcomeOf(workspace, proposals.find(opened.id) ?? opened);
    });
  }

  keep(scope: AppliedScope): Promise<void> {
    const { inTurn, store } = this.#dependencies;
    return inTurn(async () => {
      for (const file of filesMeantBy(store.files, scope)) store.put(keepHunks(file, isMeantBy(scope)));
    });
  }

  /**
   * Takes back what is meant and can be; the rest stays pending. Gives how many hunks those are. Throws a `UserError`
   * when a file can't be written, after the others were.
   */
  undo(scope: AppliedScope): Promise<number> {
    const { inTurn, store } = this.#dependencies;
    return inTurn(() => this.#undo(store, scope));
  }

  /**
   * Forgets the pending hunks that files do not hold any more, after something else than typing changed the files. Gives
   * these files as they were, for `putBack`. To be called in turn.
   */
  async takeOut(paths: readonly string[]): Promise<AppliedFile[]> {
    const { workspace, store } = this.#dependencies;
    const before = paths.flatMap((path) => store.find(path) ?? []);
    for (const { path } of before) {
      store.setText(path, (await currentText(workspace, path))?.text ?? "");
      const file = store.find(path);
      if (file !== undefined) {
        const lost = unanswerable(file);
        store.put(keepHunks(file, (hunk) => lost.includes(hunk)));
      }
    }
    return before;
  }

  /** Knows the pending hunks again that were in these files, now that the files hold them again. To be called in turn. */
  async putBack(files: readonly AppliedFile[]): Promise<void> {
    const { workspace, store } = this.#dependencies;
    for (const file of files) {
      store.put(file);
      store.setText(file.path, (await currentText(workspace, file.path))?.text ?? "");
    }
  }

  /** The same from what `saveEdits` made of the files, as far as they hold it now. To be called in turn. */
  async putBackSaved(json: string): Promise<void> {
    const { workspace } = this.#dependencies;
    const { files } = await loadEdits(json, async (path) => (await currentText(workspace, path))?.text);
    await this.putBack(files);
  }

  async #undo(store: AppliedStore, scope: AppliedScope): Promise<number> {
    // Side by side: each file takes as long as what runs when it is saved.
    const results = await Promise.allSettled(
      filesMeantBy(store.files, scope).map(({ path }) =>
        undoInFile({ ...this.#dependencies, store }, path, isMeantBy(scope)),
      ),
    );
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return results.reduce((sum, result) => sum + (result.status === "fulfilled" ? result.value : 0), 0);
  }
}
