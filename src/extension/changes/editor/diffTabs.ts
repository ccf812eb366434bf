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
import {
  type OpenProposal,
  type ProposedHunk,
  pendingHunks,
  proposerNames,
  type TrackedFile,
} from "../model/change.ts";
import { baselineUri, diffSideOf, diffUris, proposedScheme } from "./diffDocuments.ts";

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

/** Closes diffs in which nothing is left to answer: of a proposal, and the multi-diff once nothing waits. */
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
    // A dirty document would ask whether to save it: what was typed is in the proposal already. The editor can know one to
    // be dirty that is not yet known as such here.
    for (const document of workspace.textDocuments) {
      if (document.uri.scheme === proposedScheme && isShown(settled, document.uri)) await document.save();
    }
    await window.tabGroups.close(settled, true);
  };
  const closeMultiDiff = async () => {
    if (store.files.length > 0 || store.proposals.length > 0) return;
    const settled = window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(isMultiDiff));
    if (settled.length > 0) await window.tabGroups.close(settled, true);
  };
  return Disposable.from(
    store.onDidChange(() => void close().catch(showError), "proposals"),
    store.onDidChange(() => void closeMultiDiff().catch(showError)),
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

/**
 * Shows all of these edits in one multi-diff: what is proposed for files, and files against what they would be without
 * their written hunks that wait.
 */
export async function openMultiDiff(
  { proposals, files }: Pick<ChangeStore, "proposals" | "files">,
  uriOf: (path: string) => Uri,
): Promise<void> {
  const sides = [...proposals.flatMap((proposal) => proposedSides(proposal, uriOf)), ...files.map(writtenSides)];
  await commands.executeCommand("vscode.changes", multiDiffTitle(), sides);

  function writtenSides(file: TrackedFile): Sides {
    const uri = uriOf(file.path);
    const isDeleted = file.hunks.some(({ kind }) => kind === "delete") && file.lines.every(({ isLive }) => !isLive);
    return [uri, baselineUri(uri), isDeleted ? undefined : uri];
  }
}

/** A file that is only moved would show no difference. */
function proposedSides({ id, files }: OpenProposal, uriOf: (path: string) => Uri): Sides[] {
  const shown = files.filter((file) => file.movedTo === undefined && pendingHunks(file).length > 0);
  return shown.map(({ path, change }) => {
    const uri = uriOf(path);
    const { base, proposed } = diffUris(uri, id);
    return [uri, change === "add" ? undefined : base, change === "delete" ? undefined : proposed];
  });
}

/** All that the editor gives of a multi-diff is its title, to which it adds how many files there are. */
function isMultiDiff({ label, input, isDirty }: Tab): boolean {
  return label.startsWith(`${multiDiffTitle()} (`) && !(input instanceof TabInputText) && !isDirty;
}

function multiDiffTitle(): string {
  return l10n.t("Agent Edits");
}
