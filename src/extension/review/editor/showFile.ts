import {
  commands,
  type Disposable,
  Range,
  type Tab,
  TabInputText,
  type TextDocumentShowOptions,
  type Uri,
  window,
} from "vscode";
import type { ProposalStore } from "../proposalStore.ts";
import { type ShownHunk, shownHunks } from "../shownHunks.ts";

export interface ShownProposals extends Disposable {
  /** For an answer that was given in the panel: the file that was shown for it makes room for the next one. */
  showNext(): void;
}

/**
 * Shows a new proposal's file beside nobody's work: only when no editor is open or just a preview, when no other
 * pending edit is in sight, and never with the focus. Otherwise the threads wait in the file.
 */
export function showNewProposals(
  store: ProposalStore,
  uriOf: (path: string) => Uri,
  showError: (error: unknown) => void,
): ShownProposals {
  let known = new Set<string>();
  // Proposals of agents that work side by side arrive together; the first one is shown.
  let isShowing = false;
  let latest: string | undefined;

  function showFirst(hunks: readonly ShownHunk[], mayReplace: (tab: Tab) => boolean): void {
    const first = hunks.find(({ file }) => file.change !== "add");
    const { activeTab } = window.tabGroups.activeTabGroup;
    if (first === undefined || isShowing || isAnyInSight(store, uriOf)) return;
    if (activeTab !== undefined && (activeTab.isDirty || !mayReplace(activeTab))) return;
    isShowing = true;
    latest = uriOf(first.file.path).toString();
    void show(first, uriOf)
      .catch(showError)
      .finally(() => {
        isShowing = false;
      });
  }

  const following = store.onDidChange(() => {
    const fresh = store.proposals.filter(({ id }) => !known.has(id));
    known = new Set(store.proposals.map(({ id }) => id));
    showFirst(shownHunks(fresh), (tab) => tab.isPreview);
  });
  return {
    showNext: () => showFirst(shownHunks(store.proposals), (tab) => addressOf(tab) === latest),
    dispose: () => following.dispose(),
  };
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

function addressOf({ input }: Tab): string | undefined {
  return input instanceof TabInputText ? input.uri.toString() : undefined;
}
