import {
  commands,
  Disposable,
  l10n,
  type Tab,
  TabInputText,
  TabInputTextDiff,
  type Uri,
  window,
  workspace,
} from "vscode";
import type { ChangeStore } from "../changeStore.ts";
import { type ProposedHunk, pendingHunks, proposerNames, type WrittenFile } from "../model/change.ts";
import { baselineUri } from "./baseDocuments.ts";
import { diffSideOf, diffUris, proposedScheme } from "./diffUris.ts";

interface DiffRequest {
  proposalId: string;
  /** Default: the first file that has something to answer. */
  path?: string;
  /** The focus stays where it is. */
  preserveFocus: boolean;
}

/** Shows what a proposal does to one file. */
export async function openDiff(
  store: ChangeStore,
  uriOf: (path: string) => Uri,
  { proposalId, path, preserveFocus }: DiffRequest,
): Promise<void> {
  const proposal = store.proposal(proposalId);
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

/** Closes diffs in which nothing is left to answer: of a proposal, and the multi-diff, whose files would not differ. */
export function closeSettledDiffs(
  store: ChangeStore,
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
  const closeMultiDiff = async () => {
    if (store.files.length > 0) return;
    const settled = window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(isMultiDiff));
    if (settled.length > 0) await window.tabGroups.close(settled, true);
  };
  return Disposable.from(
    store.onDidChange(() => void close().catch(showError), "proposals"),
    store.onDidChange(() => void closeMultiDiff().catch(showError), "files"),
  );
}

function isPending({ decision }: ProposedHunk): boolean {
  return decision === "pending";
}

function isShown(tabs: readonly Tab[], uri: Uri): boolean {
  return tabs.some(({ input }) => input instanceof TabInputTextDiff && input.modified.toString() === uri.toString());
}

/** Left and right side of a file's diff; a side that does not exist is absent. */
type Sides = [label: Uri, original: Uri | undefined, modified: Uri | undefined];

/** Shows all of these files in one multi-diff, against what they would be without their pending hunks. */
export async function openMultiDiff(files: readonly WrittenFile[], uriOf: (path: string) => Uri): Promise<void> {
  const sides = files.map((file): Sides => {
    const uri = uriOf(file.path);
    const isDeleted = file.hunks.some(({ kind }) => kind === "delete") && file.lines.every(({ isLive }) => !isLive);
    return [uri, baselineUri(uri), isDeleted ? undefined : uri];
  });
  await commands.executeCommand("vscode.changes", multiDiffTitle(), sides);
}

/** All that the editor gives of a multi-diff is its title, to which it adds how many files there are. */
function isMultiDiff({ label, input, isDirty }: Tab): boolean {
  return label.startsWith(`${multiDiffTitle()} (`) && !(input instanceof TabInputText) && !isDirty;
}

function multiDiffTitle(): string {
  return l10n.t("Agent Edits");
}
