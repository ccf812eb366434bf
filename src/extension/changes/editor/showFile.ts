import {
  commands,
  Disposable,
  Range,
  type Tab,
  TabInputText,
  type TextDocumentShowOptions,
  TextEditorSelectionChangeKind,
  type Uri,
  window,
} from "vscode";
import type { ChangeStore } from "../changeStore.ts";
import { type ShownProposal, shownProposals } from "../shownHunks.ts";

interface ShownProposals extends Disposable {
  /** For an answer that was given in the panel: the next file takes the place of the one that was shown for it. */
  showNext(): void;
  setPanelFocused(isFocused: boolean): void;
}

/**
 * Shows a proposal's file where the user does not work: in an empty group, or, while the panel has the focus, in place of a file that
 * was shown for a proposal and that was not touched since. Any other editor may be typed in, which no extension can
 * see, and with its tab the keystrokes would go elsewhere; then the threads wait in their file. Never takes the focus.
 */
export function showNewProposals(
  store: ChangeStore,
  uriOf: (path: string) => Uri,
  showError: (error: unknown) => void,
): ShownProposals {
  let known = new Set<string>();
  // Proposals of agents that work side by side arrive together; the first one is shown.
  let isShowing = false;
  /** The address of the file shown last, until somebody puts the caret into it. */
  let untouched: string | undefined;
  let isPanelFocused = false;
  /** An answer in the panel leads to the next file, once the answered one counts as saved. */
  let isNextAwaited = false;

  function isFree(tab: Tab | undefined): boolean {
    if (tab === undefined) return true;
    return isPanelFocused && !tab.isDirty && untouched !== undefined && addressOf(tab) === untouched;
  }

  function showFirst(hunks: readonly ShownProposal[]): void {
    const first = hunks.find(({ file }) => file.change !== "add");
    if (first === undefined || isShowing || isAnyInSight(store, uriOf)) return;
    if (!isFree(window.tabGroups.activeTabGroup.activeTab)) return;
    isShowing = true;
    isNextAwaited = false;
    untouched = uriOf(first.path).toString();
    void show(first, uriOf)
      .catch(showError)
      .finally(() => {
        isShowing = false;
      });
  }

  const following = Disposable.from(
    store.onDidChange(() => {
      const fresh = store.proposals.filter(({ id }) => !known.has(id));
      known = new Set(store.proposals.map(({ id }) => id));
      showFirst(shownProposals(isNextAwaited ? store.proposals : fresh));
    }, "proposals"),
    // The editor reports a saved document before its tab stops counting as dirty.
    window.tabGroups.onDidChangeTabs(() => {
      if (isNextAwaited) showFirst(shownProposals(store.proposals));
    }),
    window.onDidChangeTextEditorSelection(({ kind, textEditor }) => {
      const isByHand = kind === TextEditorSelectionChangeKind.Mouse || kind === TextEditorSelectionChangeKind.Keyboard;
      if (isByHand && textEditor.document.uri.toString() === untouched) untouched = undefined;
    }),
  );
  return {
    showNext: () => {
      isNextAwaited = true;
      showFirst(shownProposals(store.proposals));
    },
    setPanelFocused: (isFocused) => {
      isPanelFocused = isFocused;
      if (!isFocused) isNextAwaited = false;
    },
    dispose: () => following.dispose(),
  };
}

async function show({ path, range: { start } }: ShownProposal, uriOf: (path: string) => Uri): Promise<void> {
  const options: TextDocumentShowOptions = {
    preserveFocus: true,
    preview: true,
    selection: new Range(start, 0, start, 0),
  };
  await commands.executeCommand("vscode.open", uriOf(path), options);
}

function isAnyInSight(store: ChangeStore, uriOf: (path: string) => Uri): boolean {
  const visible = new Set(window.visibleTextEditors.map(({ document }) => document.uri.toString()));
  return shownProposals(store.proposals).some(({ path }) => visible.has(uriOf(path).toString()));
}

function addressOf({ input }: Tab): string | undefined {
  return input instanceof TabInputText ? input.uri.toString() : undefined;
}
