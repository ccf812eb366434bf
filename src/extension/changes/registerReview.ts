import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { t } from "@vscode/l10n";
import { Disposable, workspace as editor, Uri, window } from "vscode";
import type { Exclusively } from "../common/lock.ts";
import { UserError } from "../common/userError.ts";
import type { ChangeStore } from "./changeStore.ts";
import { createReviews } from "./createReviews.ts";
import type { BranchMerges } from "./editor/branchMerge.ts";
import { createReviewCommands, type EditorCommands, type WrittenCommands } from "./editor/commands.ts";
import { trackPending, trackThreadAtCaret } from "./editor/contextKeys.ts";
import { provideBaseDocuments } from "./editor/diffDocuments.ts";
import { closeSettledDiffs, openDiff } from "./editor/diffTabs.ts";
import { followDisk, followDocuments, followRenames } from "./editor/followDocuments.ts";
import { imagedFiles } from "./editor/imagedFiles.ts";
import { showLenses } from "./editor/lenses.ts";
import { markLines } from "./editor/marks.ts";
import { provideAgentTexts } from "./editor/mergeEdit.ts";
import { showFileBadges, showQuickDiff } from "./editor/pendingFiles.ts";
import { provideProposedDocuments } from "./editor/proposedDocuments.ts";
import { provideHunkDiff, provideRunDiff } from "./editor/runDiff.ts";
import { showNewProposals } from "./editor/showFile.ts";
import { showThreads } from "./editor/threads.ts";
import { isTidying, type TidySettings } from "./editor/tidyFiles.ts";
import type { EditHistory } from "./history/editHistory.ts";
import { journalFolder, journalOnDisk } from "./journal/callRecord.ts";
import type { EditJournal } from "./journal/editJournal.ts";
import type { EditReview } from "./model/change.ts";
import { parseEdits } from "./model/schema.ts";
import { editsOnDisk, type LoadedEdits, PendingEditsFile } from "./persistedEdits.ts";
import type { ProposalReviews } from "./proposalReviews.ts";
import type { HunkActions } from "./provenance/hunkActions.ts";
import type { OpenEdits, ReviewedChat, ReviewMode } from "./reviewByMode.ts";
import { checkpointed, currentText, type ReviewedWorkspace } from "./reviewedWorkspace.ts";
import { Checkpoints } from "./rewind/checkpoints.ts";
import { diskStorage } from "./rewind/storage.ts";
import { type Tidying, tidiedWorkspace, tidyingAlone } from "./tidiedWorkspace.ts";
import type { WrittenReviews } from "./writtenReviews.ts";

interface ReviewHost {
  workspace: ReviewedWorkspace;
  /** Asked for each edit. */
  mode(): ReviewMode;
  /** Where the answers to proposed edits are: above their lines, or in the title of their comments. */
  actions(): "codeLens" | "comment";
  /** Whether a key that answers an edit goes on to the next one. */
  goesToNext(): boolean;
  /** Files of the extension's own, for this window alone. */
  storageFolder: string;
  /** Shared by all windows of the workspace. */
  workspaceFolder: string;
  /** Runs a step while no other window reads or writes checkpoints. */
  exclusively: Exclusively;
  warn(message: string): void;
  uriOf(path: string): Uri;
  /** Undefined for a document that is no file of the workspace. */
  pathOf(uri: Uri): string | undefined;
  extensionUri: Uri;
  /** Whether an edit of the file is asked for whatever the mode says. */
  isSensitive(path: string): Promise<boolean>;
  leadsTo(path: string): Promise<string | undefined>;
  /** What the rules of the settings say of an edit. */
  judge: NonNullable<Parameters<typeof createReviews>[0]["judge"]>;
  /** What the editor does with files that agents edited. */
  tidies(): TidySettings;
  showError(error: unknown): void;
}

export interface RegisteredReview extends Disposable {
  /** What waits for the user. */
  store: ChangeStore;
  /** Reviews for a chat's agents, and the answers the panel gives. */
  proposals: ProposalReviews;
  /** Edits that are written and wait for Keep or Undo. */
  written: WrittenReviews;
  commands: WrittenCommands;
  /** What the editor's own commands do with edits. */
  editorCommands: EditorCommands;
  /** What agents wrote and what became of it, for their notes. */
  history: EditHistory;
  /** Takes over the pending edits and the history in the folder of a window that is gone. */
  adopt(folder: string): Promise<void>;
  /** Edits that wait for an answer that may reach further than once. */
  open: OpenEdits;
  /** Starts when a message of the user's reaches an agent. */
  checkpoints: Checkpoints;
  /** What a window that ends in the middle leaves of edits. */
  journal: EditJournal;
  /** What a file holds, with what the window before left unsaved; undefined for no text file. */
  reopenedText(path: string): Promise<string | undefined>;
  /** How the edits of a chat's agents are reviewed, as the setting says at the time of each. */
  reviewFor(chat: ReviewedChat): EditReview;
  /** Puts a file that an agent wrote in order, as a part of what it wrote. */
  tidy(path: string): Promise<void>;
  /** After an answer in the panel: shows the next file that waits where the answered one was shown. */
  showNext(): void;
  setPanelFocused(isFocused: boolean): void;
  /** The focus stays where it is. Without a path: the first file that has something to answer. */
  openDiff(proposalId: string, path?: string): Promise<void>;
  /** Shows all that agents changed since a message of the user's. */
  openRunDiff(messageId: string): Promise<void>;
  /** Opens merge editors where others built on what was undone of a branch. */
  showBranchConflicts: BranchMerges["show"];
  /** What is done with written hunks, whether they wait or were kept. */
  hunks: Pick<HunkActions, "keep" | "undo"> & { openDiff(hunkIds: ReadonlySet<string>): Promise<void> };
}

const typingRestsMs = 500;

/** Wires the review of edits into the editor: storage, threads, CodeLens rows, marks, diffs and commands. */
export function registerReview(host: ReviewHost): RegisteredReview {
  const { uriOf, pathOf, showError, warn, isSensitive, leadsTo } = host;
  const storage = diskStorage(join(host.workspaceFolder, "checkpoints"));
  const checkpoints = new Checkpoints({ storage, files: imagedFiles(), warn, exclusively: host.exclusively });
  const workspace = checkpointed(host.workspace, checkpoints);
  const isOpen = (path: string) => {
    const address = uriOf(path).toString();
    return editor.textDocuments.some(({ uri }) => uri.toString() === address);
  };
  const tidying = (hasPending: Tidying["hasPending"]): Tidying => ({
    isOn: () => isTidying(host.tidies()),
    hasPending,
    tidyFile: async (path, tidy) => (await import("./editor/tidyFile.ts")).tidyFile(uriOf(path), host.tidies(), tidy),
    reportFailure: showError,
  });
  const historyIn = (folder: string) => editsOnDisk(folder, undefined, "written-edits.json");
  const { store, journal, history, proposals, written, open, reviewFor } = createReviews({
    ...{ workspace, isOpen, isSensitive, leadsTo, showError },
    acceptedWorkspace: (changes) =>
      checkpointed(
        tidiedWorkspace(
          host.workspace,
          tidying((path) => changes.has(path)),
        ),
        checkpoints,
      ),
    mode: host.mode,
    judge: host.judge,
    history: historyIn(host.storageFolder),
    journal: journalOnDisk(join(host.workspaceFolder, journalFolder)),
    onceSaved: () => saved.flush(),
    onceIntended: async () => (await undone).flush(),
  });
  const inTurn = <T>(step: () => Promise<T>) => proposals.inTurn(step);
  const tidyingNow = checkpointed(
    tidyingAlone(
      host.workspace,
      tidying((path) => store.has(path)),
    ),
    checkpoints,
  );
  const reopened = (path: string) => reopenedText({ workspace, uriOf }, path);
  const saved = new PendingEditsFile({
    store,
    saved: editsOnDisk(host.storageFolder),
    currentTextOf: reopened,
    onDropped: (dropped) => void showDropped(dropped).catch(showError),
    onError: showError,
    typingRestsMs,
  });
  const threads = showThreads(store, uriOf, Uri.joinPath(host.extensionUri, "media", "agent.svg"));
  const shown = showNewProposals(store, uriOf, showError);
  const presented = { store, workspace, uriOf, pathOf };
  const commands = createReviewCommands({ ...presented, proposals, written, threads, goesToNext: host.goesToNext });
  const runDiff = provideRunDiff({ planRewind: (id) => checkpoints.planRewind(id), files: imagedFiles(), uriOf });
  let loadedActions: Promise<HunkActions> | undefined;
  const hunkActions = () => {
    loadedActions ??= import("./provenance/hunkActions.ts").then(({ createHunkActions }) =>
      createHunkActions({ store, history, written, inTurn, newId: () => `edit-${randomUUID()}` }),
    );
    return loadedActions;
  };
  const hunks: HunkActions = {
    keep: async (ids) => (await hunkActions()).keep(ids),
    undo: async (ids) => (await hunkActions()).undo(ids),
    diff: async (ids) => (await hunkActions()).diff(ids),
  };
  const hunkDiff = provideHunkDiff(hunks, uriOf);
  const disposables: { dispose(): void }[] = [
    ...[history, threads, shown, runDiff, hunkDiff],
    followDocuments(store, [history], pathOf),
    followDisk({
      ...{ store, pathOf, isOpen, inTurn, showError },
      textOf: async (path) => (await currentText(workspace, path))?.text ?? "",
    }),
    followRenames({ stores: [store, history], checkpoints, pathOf, showError }),
    showLenses(presented, host.actions),
    markLines(store, pathOf),
    provideBaseDocuments(presented),
    provideAgentTexts(presented),
    provideProposedDocuments({ store, reviews: proposals, workspace, uriOf, showError }),
    closeSettledDiffs(store, uriOf, showError),
    showFileBadges(presented),
    showQuickDiff(presented),
    trackPending(presented),
    trackThreadAtCaret(presented),
  ];
  let merges: BranchMerges | undefined;
  // In turn, so that no agent writes into a file whose pending hunks are about to be loaded.
  const undoneIn = (folder: string) => editsOnDisk(folder, undefined, "undone-edits.json");
  // What is undone waits for nothing that activation is for.
  const undone = setImmediate()
    .then(() => import("./undoneEditsFile.ts"))
    .then(
      ({ UndoneEditsFile }) =>
        new UndoneEditsFile({
          ...{ store, workspace, saved: undoneIn(host.storageFolder), currentTextOf: reopened, onError: showError },
          onceSaved: () => saved.flush(),
        }),
    );
  const loaded = async (file: Promise<{ load(): Promise<{ dispose(): void }> }>) =>
    disposables.push(await (await file).load());
  void inTurn(() => loaded(Promise.resolve(saved))).catch(showError);
  const undoneLoaded = inTurn(() => loaded(undone)).catch(showError);
  /** What an undo or a rewind took out, in the middle of which the editor ended, can be brought back. */
  const showDropped = async (dropped: LoadedEdits["dropped"], left?: string) => {
    await undoneLoaded;
    const notRedoable = await (await undone).lostOf(dropped, left === undefined ? undefined : undoneIn(left));
    const marks = (await checkpoints.allMarks()).flatMap((json) => parseEdits(json) ?? []);
    const ids = new Set(marks.flatMap((file) => file.hunks.map(({ id }) => id)));
    const lost = notRedoable.filter(({ hunk }) => !ids.has(hunk.id));
    if (lost.length > 0) await window.showInformationMessage(droppedMessage(lost));
  };
  return {
    ...{
      store,
      proposals,
      written,
      commands: commands.written,
      editorCommands: commands.editor,
      history,
      open,
      checkpoints,
      journal,
    },
    adopt: async (folder) => {
      const dropped = await inTurn(() => saved.adopt(editsOnDisk(folder)));
      await inTurn(async () => (await undone).adopt(undoneIn(folder)));
      showDropped(dropped, folder).catch(showError);
      await history.adopt(historyIn(folder));
    },
    reopenedText: reopened,
    tidy: (path) =>
      inTurn(async () => {
        const author = history.find(path)?.hunks.at(-1)?.author;
        if (author !== undefined) await history.workspaceOf(author, tidyingNow).replace(path, []);
      }),
    reviewFor,
    openDiff: (proposalId, path) =>
      openDiff(store, uriOf, { proposalId, ...(path === undefined ? {} : { path }), preserveFocus: true }),
    openRunDiff: runDiff.show,
    hunks: { keep: hunks.keep, undo: hunks.undo, openDiff: hunkDiff.show },
    async showBranchConflicts(conflicts, branch) {
      if (conflicts.length === 0) return;
      if (merges === undefined) {
        merges = (await import("./editor/branchMerge.ts")).provideBranchMerges(uriOf);
        disposables.push(merges);
      }
      await merges.show(conflicts, branch);
    },
    showNext: shown.showNext,
    setPanelFocused: shown.setPanelFocused,
    dispose: () => Disposable.from(...disposables).dispose(),
  };
}

/** Opened as a document, because that brings back what the window before left unsaved. */
async function reopenedText({ workspace, uriOf }: Pick<ReviewHost, "workspace" | "uriOf">, path: string) {
  try {
    if ((await workspace.stat(path)) === undefined) return undefined;
    await editor.openTextDocument(uriOf(path));
    return (await currentText(workspace, path))?.text;
  } catch (error) {
    // A folder that is not open any more, or a file that is no text any more.
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function droppedMessage(dropped: LoadedEdits["dropped"]): string {
  const paths = [...new Set(dropped.map(({ path }) => path))].join(", ");
  return dropped.length === 1
    ? t(
        "1 agent edit in {0} can't be undone any more: the lines changed while the window was closed. They stay as they are.",
        paths,
      )
    : t(
        "{0} agent edits in {1} can't be undone any more: the lines changed while the window was closed. They stay as they are.",
        dropped.length,
        paths,
      );
}
