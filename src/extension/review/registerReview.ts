import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { Disposable, workspace as editor, Uri } from "vscode";
import { checkpointed } from "./checkpoints/checkpointed.ts";
import { Checkpoints } from "./checkpoints/checkpoints.ts";
import { diskStorage } from "./checkpoints/diskStorage.ts";
import type { ReviewedWorkspace } from "./currentText.ts";
import { provideBaseDocuments } from "./editor/baseDocuments.ts";
import { registerReviewCommands } from "./editor/commands.ts";
import { closeSettledDiffs, openDiff } from "./editor/diffTabs.ts";
import { followDocuments } from "./editor/followDocuments.ts";
import { imagedFiles } from "./editor/imagedFiles.ts";
import { showLenses } from "./editor/lenses.ts";
import { markOldLines } from "./editor/oldLines.ts";
import { trackPending } from "./editor/pendingContext.ts";
import { provideProposedDocuments } from "./editor/proposedDocuments.ts";
import { showNewProposals } from "./editor/showFile.ts";
import { showThreads } from "./editor/threads.ts";
import { OpenEdits } from "./openEdits.ts";
import { PendingReviews } from "./pendingReviews.ts";
import { ProposalStore } from "./proposalStore.ts";
import { type RegisteredApplied, registerApplied } from "./registerApplied.ts";
import type { EditReview } from "./review.ts";
import { type ReviewedChat, type ReviewMode, reviewByMode } from "./reviewByMode.ts";

export interface ReviewHost {
  workspace: ReviewedWorkspace;
  /** Asked anew for each edit. */
  mode(): ReviewMode;
  /** Files of the extension's own, for this workspace. */
  storageFolder: string;
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
  /** Edits that wait for an answer that may reach further than once. */
  open: OpenEdits;
  /** Starts when a message of the user's reaches an agent. */
  checkpoints: Checkpoints;
  /** How the edits of a chat's agents are reviewed, as the setting says at the time of each. */
  reviewFor(chat: ReviewedChat): EditReview;
  /** After an answer in the panel: shows the next file that waits where the answered one was shown. */
  showNext(): void;
  /** The focus stays where it is. Without a path: the first file that has something to answer. */
  openDiff(proposalId: string, path?: string): Promise<void>;
}

/** Wires the review of edits into the editor: threads, CodeLens rows, marks, diffs and commands. */
export function registerReview(host: ReviewHost): RegisteredReview {
  const { uriOf, pathOf, showError, warn } = host;
  const storage = diskStorage(join(host.storageFolder, "checkpoints"));
  const checkpoints = new Checkpoints({ storage, files: imagedFiles(), warn });
  const workspace = checkpointed(host.workspace, checkpoints);
  const store = new ProposalStore();
  const isOpen = (path: string) => {
    const address = uriOf(path).toString();
    return editor.textDocuments.some(({ uri }) => uri.toString() === address);
  };
  const reviews = new PendingReviews({ store, workspace, isOpen, newId: () => `edit-${randomUUID()}` });
  const threads = showThreads(store, uriOf, Uri.joinPath(host.extensionUri, "media", "agent.svg"));
  const open = new OpenEdits();
  const shown = showNewProposals(store, uriOf, showError);
  const applied = registerApplied({ ...host, workspace, inTurn: (step) => reviews.inTurn(step) });
  const disposable = Disposable.from(
    applied,
    followDocuments(store, pathOf),
    threads,
    markOldLines(store, pathOf),
    showLenses({ store, workspace, uriOf, pathOf }),
    provideBaseDocuments(store, workspace, uriOf),
    provideProposedDocuments({ store, reviews, workspace, uriOf, showError }),
    closeSettledDiffs(store, uriOf, showError),
    shown,
    trackPending({ store, applied: applied.store, uriOf }),
    registerReviewCommands({ store, reviews, threads, workspace, uriOf, pathOf, showError, applied: applied.commands }),
  );
  return {
    reviews,
    store,
    applied,
    open,
    checkpoints,
    reviewFor: (chat) =>
      reviewByMode(
        { mode: host.mode, before: reviews, after: applied.reviews, open, isSensitive: host.isSensitive },
        chat,
      ),
    openDiff: (proposalId, path) =>
      openDiff(store, uriOf, { proposalId, ...(path === undefined ? {} : { path }), preserveFocus: true }),
    showNext: shown.showNext,
    dispose: () => disposable.dispose(),
  };
}
