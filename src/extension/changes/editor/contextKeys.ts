import { commands, Disposable, window } from "vscode";
import { shownProposals } from "../shownHunks.ts";
import { proposalAtCaret } from "./commandTargets.ts";
import { type PresenterDependencies, proposedScheme } from "./diffDocuments.ts";
import { threadContextOf } from "./threads.ts";

/** Lets keybindings and menus know whether an edit waits for an answer, and which files hold written ones. */
export function trackPending({ store, uriOf }: Pick<PresenterDependencies, "store" | "uriOf">): Disposable {
  let shown = "[false,[]]";
  const update = () => {
    const files = store.files.map(({ path }) => uriOf(path).toString());
    const isPending = files.length > 0 || shownProposals(store.proposals).length > 0;
    const now = JSON.stringify([isPending, files]);
    if (now === shown) return;
    shown = now;
    void commands.executeCommand("setContext", "arbor.review.pending", isPending);
    void commands.executeCommand("setContext", "arbor.applied.pending", files.length > 0);
    void commands.executeCommand("setContext", "arbor.applied.files", files);
  };
  update();
  return Disposable.from(store.onDidChange(update));
}

/**
 * Lets the keys for the hunk at the caret act in its comment thread too. The editor puts the caret there when it goes to
 * a thread; one that was only clicked may belong to another hunk, which the keys must not answer.
 */
export function trackThreadAtCaret(dependencies: PresenterDependencies): Disposable {
  const { store } = dependencies;
  let known = "";
  const update = async () => {
    // The proposed side of a diff has no threads.
    const isFile = window.activeTextEditor?.document.uri.scheme !== proposedScheme;
    const hunkId = isFile ? await proposalAtCaret(dependencies) : undefined;
    const shown = shownProposals(store.proposals).find(({ id }) => id === hunkId);
    const context = shown === undefined ? "" : threadContextOf(shown);
    if (context === known) return;
    known = context;
    await commands.executeCommand("setContext", "arbor.review.threadAtCaret", context === "" ? [] : [context]);
  };
  // What can't be read is nothing that a key could answer; another way of answering shows why.
  const follow = () => void update().catch(() => undefined);
  return Disposable.from(
    store.onDidChange(follow, "proposals"),
    window.onDidChangeTextEditorSelection(follow),
    window.onDidChangeActiveTextEditor(follow),
  );
}
