import { commands, Disposable, l10n, type Tab, TabInputTextDiff, type Uri, window, workspace } from "vscode";
import { type ProposedHunk, pendingHunks, proposerNames } from "../model/change.ts";
import type { ProposalStore } from "../proposalStore.ts";
import { diffSideOf, diffUris, proposedScheme } from "./diffUris.ts";

export interface DiffRequest {
  proposalId: string;
  /** Default: the first file that has something to answer. */
  path?: string;
  /** The focus stays where it is. */
  preserveFocus: boolean;
}

/** Shows what a proposal does to one file. */
export async function openDiff(
  store: ProposalStore,
  uriOf: (path: string) => Uri,
  { proposalId, path, preserveFocus }: DiffRequest,
): Promise<void> {
  const proposal = store.find(proposalId);
  const files = proposal?.files ?? [];
  const file =
    path === undefined
      ? (files.find((candidate) => pendingHunks(candidate).length > 0) ?? files[0])
      : files.find((candidate) => candidate.path === path);
  if (proposal === undefined || file === undefined) return;
  const { base, proposed } = diffUris(uriOf(file.path), proposalId);
  const name = file.path.split("/").at(-1) ?? file.path;
  const title = l10n.t("{0} (proposed by {1})", name, proposerNames(proposal));
  await commands.executeCommand("vscode.diff", base, proposed, title, { preserveFocus, preview: true });
}

/** Closes diffs in which nothing is left to answer. */
export function closeSettledDiffs(
  store: ProposalStore,
  uriOf: (path: string) => Uri,
  showError: (error: unknown) => void,
): Disposable {
  const isSettled = ({ input }: Tab) => {
    if (!(input instanceof TabInputTextDiff) || input.modified.scheme !== proposedScheme) return false;
    const hunks = diffSideOf(store, input.modified, uriOf)?.file.hunks ?? [];
    // Hunks the user edited away can still come back; hunks that were answered can't.
    return diffSideOf(store, input.modified, uriOf) === undefined || (hunks.length > 0 && !hunks.some(isPending));
  };
  const close = async () => {
    const settled = window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(isSettled));
    if (settled.length === 0) return;
    // A dirty document would ask whether to save it: what was typed is in the proposal already.
    for (const document of workspace.textDocuments) {
      if (document.uri.scheme === proposedScheme && document.isDirty && isShown(settled, document.uri)) {
        await document.save();
      }
    }
    await window.tabGroups.close(settled, true);
  };
  return Disposable.from(store.onDidChange(() => void close().catch(showError)));
}

function isPending({ decision }: ProposedHunk): boolean {
  return decision === "pending";
}

function isShown(tabs: readonly Tab[], uri: Uri): boolean {
  return tabs.some(({ input }) => input instanceof TabInputTextDiff && input.modified.toString() === uri.toString());
}
