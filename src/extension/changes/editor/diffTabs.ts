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
import { SerialQueue } from "../../common/serialQueue.ts";
import { untilReported } from "../../workspace/documents/untilText.ts";
import type { ChangeStore } from "../changeStore.ts";
import {
  type OpenProposal,
  type ProposedHunk,
  pendingHunks,
  proposerNames,
  type TrackedFile,
} from "../model/change.ts";
import { baselineUri, diffSideOf, diffUris, proposedScheme } from "./diffDocuments.ts";

/** How often a text is saved that is changed meanwhile. */
const maxAttempts = 5;

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
  const closing = new SerialQueue();
  const isSettled = ({ input }: Tab) => {
    if (!(input instanceof TabInputTextDiff) || input.modified.scheme !== proposedScheme) return false;
    const hunks = diffSideOf(store, input.modified, uriOf)?.file.hunks ?? [];
    // Hunks the user edited away can still come back; hunks that were answered can't.
    return diffSideOf(store, input.modified, uriOf) === undefined || (hunks.length > 0 && !hunks.some(isPending));
  };
  const close = async () => {
    for (const tab of window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(isSettled))) {
      if (await trySave(tab)) await window.tabGroups.close(tab, true);
    }
  };
  const closeMultiDiff = async () => {
    if (store.files.length > 0 || store.proposals.length > 0) return;
    const settled = window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(isMultiDiff));
    if (settled.length > 0) await window.tabGroups.close(settled, true);
  };
  return Disposable.from(
    store.onDidChange(() => void closing.run(close).catch(showError), "proposals"),
    store.onDidChange(() => void closeMultiDiff().catch(showError)),
  );
}

function isPending({ decision }: ProposedHunk): boolean {
  return decision === "pending";
}

/**
 * Saves what a diff shows, and says whether it is saved: of what is unsaved the editor would ask, though it is in the
 * proposal already. The editor can know a text to be unsaved that is not yet known as such here, and its tab knows better.
 * One that stays unsaved is closed with a later change.
 */
async function trySave(tab: Tab): Promise<boolean> {
  const { input } = tab;
  if (!(input instanceof TabInputTextDiff)) return false;
  const address = input.modified.toString();
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    await workspace.textDocuments.find(({ uri }) => uri.toString() === address)?.save();
    await untilReported();
    if (!tab.isDirty) return true;
  }
  return false;
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
