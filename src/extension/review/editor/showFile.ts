import { commands, Disposable, Range, type TextDocumentShowOptions, type Uri, window } from "vscode";
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
  // Proposals of agents that work side by side arrive together; the first one is shown.
  let isShowing = false;
  return Disposable.from(
    store.onDidChange(() => {
      const fresh = store.proposals.filter(({ id }) => !known.has(id));
      known = new Set(store.proposals.map(({ id }) => id));
      const [first] = shownHunks(fresh).filter(({ file }) => file.change !== "add");
      if (first === undefined || isShowing || isAnyInSight(store, uriOf) || !isCalm()) return;
      isShowing = true;
      void show(first, uriOf)
        .catch(showError)
        .finally(() => {
          isShowing = false;
        });
    }),
  );
}

async function show({ file, hunk }: ShownHunk, uriOf: (path: string) => Uri): Promise<void> {
  const { start } = hunk.extent;
  const options: TextDocumentShowOptions = {
    preserveFocus: true,
    preview: true,
    selection: new Range(start, 0, start, 0),
  };
  await commands.executeCommand("vscode.open", uriOf(file.path), options);
}

function isAnyInSight(store: ProposalStore, uriOf: (path: string) => Uri): boolean {
  const visible = new Set(window.visibleTextEditors.map(({ document }) => document.uri.toString()));
  return shownHunks(store.proposals).some(({ file }) => visible.has(uriOf(file.path).toString()));
}

function isCalm(): boolean {
  const { activeTab } = window.tabGroups.activeTabGroup;
  return activeTab === undefined || (activeTab.isPreview && !activeTab.isDirty);
}
