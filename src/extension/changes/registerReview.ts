import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { Disposable, workspace as editor, Uri } from "vscode";
import type { Exclusively } from "../common/lock.ts";
import { editsOnDisk } from "./applied/editsOnDisk.ts";
import type { ReviewedWorkspace } from "./currentText.ts";
import { trackThreadAtCaret } from "./editor/atCaret.ts";
import { provideBaseDocuments } from "./editor/baseDocuments.ts";
import { registerReviewCommands } from "./editor/commands.ts";
import { closeSettledDiffs, openDiff } from "./editor/diffTabs.ts";
import { followApplied } from "./editor/followApplied.ts";
import { followDocuments } from "./editor/followDocuments.ts";
import { imagedFiles } from "./editor/imagedFiles.ts";
import { showLenses } from "./editor/lenses.ts";
import { markOldLines } from "./editor/oldLines.ts";
import { trackPending } from "./editor/pendingContext.ts";
import { provideProposedDocuments } from "./editor/proposedDocuments.ts";
import { showNewProposals } from "./editor/showFile.ts";
import { showThreads } from "./editor/threads.ts";
import { EditJournal } from "./journal/editJournal.ts";
import { journalFolder, journalOnDisk } from "./journal/journalOnDisk.ts";
import { OpenEdits } from "./openEdits.ts";
import { PendingReviews } from "./pendingReviews.ts";
import { ProposalStore } from "./proposalStore.ts";
import { type RegisteredApplied, registerApplied } from "./registerApplied.ts";
import type { EditProposal, EditReview } from "./review.ts";
import { type ReviewedChat, type ReviewMode, reviewByMode } from "./reviewByMode.ts";
import { checkpointed } from "./rewind/checkpointed.ts";
import { Checkpoints } from "./rewind/checkpoints.ts";
import { diskStorage } from "./rewind/diskStorage.ts";
import { WrittenEdits } from "./written/writtenEdits.ts";

export interface ReviewHost {
  workspace: ReviewedWorkspace;
  /** Asked anew for each edit. */
  mode(): ReviewMode;
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
  showError(error: unknown): void;
}

export interface RegisteredReview extends Disposable {
  /** Reviews for a chat's agents, and the answers the panel gives. */
  reviews: PendingReviews;
  store: ProposalStore;
  /** Edits that are written and wait for Keep or Undo. */
  applied: RegisteredApplied;
  /** What agents wrote and what became of it, for them to hear. */
  written: WrittenEdits;
  /** Takes up what agents wrote in a window that is gone. */
  adoptWritten(folder: string): Promise<void>;
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
  /** After an answer in the panel: shows the next file that waits where the answered one was shown. */
  showNext(): void;
  setPanelFocused(isFocused: boolean): void;
  /** The focus stays where it is. Without a path: the first file that has something to answer. */
  openDiff(proposalId: string, path?: string): Promise<void>;
}

/** Wires the review of edits into the editor: threads, CodeLens rows, marks, diffs and commands. */
export function registerReview(host: ReviewHost): RegisteredReview {
  const { uriOf, pathOf, showError, warn } = host;
  const storage = diskStorage(join(host.workspaceFolder, "checkpoints"));
  const checkpoints = new Checkpoints({ storage, files: imagedFiles(), warn, exclusively: host.exclusively });
  const workspace = checkpointed(host.workspace, checkpoints);
  const store = new ProposalStore();
  const isOpen = (path: string) => {
    const address = uriOf(path).toString();
    return editor.textDocuments.some(({ uri }) => uri.toString() === address);
  };
  const journal = new EditJournal(journalOnDisk(join(host.workspaceFolder, journalFolder)), showError);
  const newId = () => `edit-${randomUUID()}`;
  const writtenIn = (folder: string) => editsOnDisk(folder, undefined, "written-edits.json");
  const saved = writtenIn(host.storageFolder);
  const written = new WrittenEdits({ workspace, saved, newId, onError: showError });
  /** By agent: from the root agent down. */
  const lineages = new Map<string, readonly string[]>();
  const workspaceFor = ({ agent, agentPath }: EditProposal, editId: string) =>
    written.workspaceOf({ agentIds: lineages.get(agent.id) ?? [agent.id], agentPath, editId });
  const reviews = new PendingReviews({ store, workspace, workspaceFor, isOpen, newId, journal, writeAhead: journal });
  const threads = showThreads(store, uriOf, Uri.joinPath(host.extensionUri, "media", "agent.svg"));
  const open = new OpenEdits();
  const shown = showNewProposals(store, uriOf, showError);
  const applied = registerApplied({ ...host, workspace, journal, written, inTurn: (step) => reviews.inTurn(step) });
  const disposable = Disposable.from(
    applied,
    written,
    followApplied(written, pathOf),
    followDocuments(store, pathOf),
    threads,
    markOldLines(store, pathOf),
    showLenses({ store, workspace, uriOf, pathOf }),
    provideBaseDocuments(store, workspace, uriOf),
    provideProposedDocuments({ store, reviews, workspace, uriOf, showError }),
    closeSettledDiffs(store, uriOf, showError),
    shown,
    trackPending({ store, applied: applied.store, uriOf }),
    trackThreadAtCaret({ store, workspace, uriOf, pathOf }),
    registerReviewCommands({ store, reviews, threads, workspace, uriOf, pathOf, showError, applied: applied.commands }),
  );
  return {
    reviews,
    store,
    applied,
    written,
    adoptWritten: (folder) => written.adopt(writtenIn(folder)),
    open,
    checkpoints,
    journal,
    reopenedText: applied.reopenedText,
    reviewFor: (chat) =>
      reviewByMode(
        { mode: host.mode, before: reviews, after: applied.reviews, open, isSensitive: host.isSensitive, journal },
        {
          ...chat,
          lineage: (agentId) => {
            const lineage = chat.lineage(agentId);
            lineages.set(agentId, lineage);
            return lineage;
          },
        },
      ),
    openDiff: (proposalId, path) =>
      openDiff(store, uriOf, { proposalId, ...(path === undefined ? {} : { path }), preserveFocus: true }),
    showNext: shown.showNext,
    setPanelFocused: shown.setPanelFocused,
    dispose: () => disposable.dispose(),
  };
}
