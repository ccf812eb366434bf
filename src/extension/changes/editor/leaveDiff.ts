import { commands, Range, TabInputTextDiff, window } from "vscode";
import { shownProposals } from "../shownHunks.ts";
import { diffSideOf, type PresenterDependencies } from "./diffDocuments.ts";
import { openDiff } from "./diffTabs.ts";

const closingLimitMs = 3_000;

/**
 * Answers a hunk. When that was asked from inside a diff, which closes with its last answer, the focus would be lost with
 * it: it goes on to the next edit that waits, or else back to the panel.
 */
export async function answerFrom(dependencies: PresenterDependencies, answer: () => Promise<void>): Promise<void> {
  const { store, uriOf } = dependencies;
  const uri = window.activeTextEditor?.document.uri;
  const isInDiff = uri !== undefined && diffSideOf(store, uri, uriOf) !== undefined;
  await answer();
  if (!isInDiff || !(await hasClosed(uri.query))) return;
  const [next] = shownProposals(store.proposals);
  if (next === undefined) {
    await commands.executeCommand("arbor.chat.focus");
  } else if (next.file.change === "add") {
    await openDiff(store, uriOf, { proposalId: next.proposalId, path: next.path, preserveFocus: false });
  } else {
    const { start } = next.range;
    await window.showTextDocument(uriOf(next.path), { preview: true, selection: new Range(start, 0, start, 0) });
  }

  /** Whether the diff is gone; one that has more to answer stays. */
  async function hasClosed(proposalId: string): Promise<boolean> {
    const isOpen = () =>
      window.tabGroups.all.some(({ tabs }) =>
        tabs.some(({ input }) => input instanceof TabInputTextDiff && input.modified.query === proposalId),
      );
    const side = uri && diffSideOf(store, uri, uriOf);
    const hasMore = side?.file.hunks.some(({ decision }) => decision === "pending");
    if (hasMore || !isOpen()) return !hasMore;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), closingLimitMs);
    const following = window.tabGroups.onDidChangeTabs(() => {
      if (!isOpen()) resolve(true);
    });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      following.dispose();
    }
  }
}
