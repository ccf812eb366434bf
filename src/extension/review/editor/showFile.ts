import { Disposable, Range, TextEditorRevealType, type Uri, window } from "vscode";
import type { ProposalStore } from "../proposalStore.ts";
import { type ShownHunk, shownHunks } from "../shownHunks.ts";

/**
 * Shows a new proposal's file beside nobody's work: only when no editor is open or just a preview, when no other
 * pending edit is in sight, and never with the focus. Otherwise the threads wait in the file.
 */
export function showNewProposals(
  store: ProposalStore,
  uriOf: (path: string) => Uri,
  showError: (error: unknown) => void,
): Disposable {
  let known = new Set<string>();
  return Disposable.from(
    store.onDidChange(() => {
      const fresh = store.proposals.filter(({ id }) => !known.has(id));
      known = new Set(store.proposals.map(({ id }) => id));
      const [first] = shownHunks(fresh).filter(({ file }) => file.change !== "add");
      if (first !== undefined && !isAnyInSight(store, uriOf) && isCalm()) void show(first, uriOf).catch(showError);
    }),
  );
}

/** Reveals a hunk in its file; the caret stays where it is. */
async function show({ file, hunk }: ShownHunk, uriOf: (path: string) => Uri): Promise<void> {
  const editor = await window.showTextDocument(uriOf(file.path), { preserveFocus: true, preview: true });
  const line = Math.max(hunk.extent.start, 0);
  editor.revealRange(new Range(line, 0, line, 0), TextEditorRevealType.InCenterIfOutsideViewport);
}

function isAnyInSight(store: ProposalStore, uriOf: (path: string) => Uri): boolean {
  const visible = new Set(window.visibleTextEditors.map(({ document }) => document.uri.toString()));
  return shownHunks(store.proposals).some(({ file }) => visible.has(uriOf(file.path).toString()));
}

function isCalm(): boolean {
  const { activeTab } = window.tabGroups.activeTabGroup;
  return activeTab === undefined || (activeTab.isPreview && !activeTab.isDirty);
}
