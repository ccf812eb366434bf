import { randomUUID } from "node:crypto";
import { Disposable, workspace as editor, Uri } from "vscode";
import type { ReviewedWorkspace } from "./currentText.ts";
import { provideBaseDocuments } from "./editor/baseDocuments.ts";
import { registerReviewCommands } from "./editor/commands.ts";
import { closeSettledDiffs, openDiff } from "./editor/diffTabs.ts";
import { followDocuments } from "./editor/followDocuments.ts";
import { showLenses } from "./editor/lenses.ts";
import { markOldLines } from "./editor/oldLines.ts";
import { trackPending } from "./editor/pendingContext.ts";
import { provideProposedDocuments } from "./editor/proposedDocuments.ts";
import { showNewProposals } from "./editor/showFile.ts";
import { showThreads } from "./editor/threads.ts";
import { PendingReviews } from "./pendingReviews.ts";
import { ProposalStore } from "./proposalStore.ts";

export interface ReviewHost {
  workspace: ReviewedWorkspace;
  uriOf(path: string): Uri;
  /** Undefined for a document that is no file of the workspace. */
  pathOf(uri: Uri): string | undefined;
  extensionUri: Uri;
  showError(error: unknown): void;
}

export interface RegisteredReview extends Disposable {
  /** Reviews for a chat's agents, and the answers the panel gives. */
  reviews: PendingReviews;
  store: ProposalStore;
  /** The focus stays where it is. Without a path: the first file that has something to answer. */
  openDiff(proposalId: string, path?: string): Promise<void>;
}

/** Wires the review of edits into the editor: threads, CodeLens rows, marks, diffs and commands. */
export function registerReview(host: ReviewHost): RegisteredReview {
  const { workspace, uriOf, pathOf, showError } = host;
  const store = new ProposalStore();
  const isOpen = (path: string) => {
    const address = uriOf(path).toString();
    return editor.textDocuments.some(({ uri }) => uri.toString() === address);
  };
  const reviews = new PendingReviews({ store, workspace, isOpen, newId: () => `edit-${randomUUID()}` });
  const threads = showThreads(store, uriOf, Uri.joinPath(host.extensionUri, "media", "agent.svg"));
  const disposable = Disposable.from(
    followDocuments(store, pathOf),
    threads,
    markOldLines(store, pathOf),
    showLenses({ store, workspace, uriOf, pathOf }),
    provideBaseDocuments(store, workspace, uriOf),
    provideProposedDocuments({ store, reviews, workspace, uriOf, showError }),
    closeSettledDiffs(store, uriOf, showError),
    showNewProposals(store, uriOf, showError),
    trackPending(store),
    registerReviewCommands({ store, reviews, threads, workspace, uriOf, pathOf, showError }),
  );
  return {
    reviews,
    store,
    openDiff: (proposalId, path) =>
      openDiff(store, uriOf, { proposalId, ...(path === undefined ? {} : { path }), preserveFocus: true }),
    dispose: () => disposable.dispose(),
  };
}
