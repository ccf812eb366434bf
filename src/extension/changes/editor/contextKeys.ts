import { commands, Disposable, type Uri } from "vscode";
import type { AppliedStore, ProposalStore } from "../changeStore.ts";
import { shownHunks } from "../pendingHunks.ts";

interface ContextDependencies {
  store: ProposalStore;
  applied: AppliedStore;
  uriOf(path: string): Uri;
}

/** Lets keybindings and menus know whether an edit waits for an answer, and which files hold written ones. */
export function trackPending({ store, applied, uriOf }: ContextDependencies): Disposable {
  let shown = "[false,[]]";
  const update = () => {
    const files = applied.files.map(({ path }) => uriOf(path).toString());
    const isPending = files.length > 0 || shownHunks(store.proposals).length > 0;
    const now = JSON.stringify([isPending, files]);
    if (now === shown) return;
    shown = now;
    void commands.executeCommand("setContext", "arbor.review.pending", isPending);
    void commands.executeCommand("setContext", "arbor.applied.pending", files.length > 0);
    void commands.executeCommand("setContext", "arbor.applied.files", files);
  };
  update();
  return Disposable.from(store.onDidChange(update), applied.onDidChange(update));
}
