import { commands, Disposable } from "vscode";
import type { ProposalStore } from "../proposalStore.ts";
import { shownHunks } from "../shownHunks.ts";

/** Lets keybindings and menus know whether an edit waits for an answer. */
export function trackPending(store: ProposalStore): Disposable {
  let pending = false;
  const update = () => {
    const now = shownHunks(store.proposals).length > 0;
    if (now !== pending) void commands.executeCommand("setContext", "arbor.review.pending", now);
    pending = now;
  };
  return Disposable.from(store.onDidChange(update));
}
