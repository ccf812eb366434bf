import type { ChangeStore } from "./changeStore.ts";
import { type ShownHunk, shownProposals, shownWritten } from "./shownHunks.ts";

/** Where an edit that waits for an answer is shown. */
export interface EditPosition {
  id: string;
  path: string;
  /** From 0. */
  line: number;
  /** "file": in the editor of its file. "diff": in the diff of its proposal. "gone": in a diff, since its file was deleted. */
  shownIn: "file" | "diff" | "gone";
  /** Of an edit that is not written. */
  proposalId?: string;
}

/** Where somebody looks: at a line of a file, or of a proposal's diff of it. */
export interface LookingAt {
  path: string;
  line: number;
  diff?: {
    proposalId: string;
    /** By hunk id: its line on the proposed side. */
    lines: ReadonlyMap<string, number>;
  };
}

/** All edits that wait, file by file, from the top down; those in the diff that is looked at count as in a file of its own. */
export function editPositions(store: ChangeStore, from?: LookingAt): EditPosition[] {
  const proposed = shownProposals(store.proposals).map((shown): EditPosition => {
    const { id, path, proposalId, file } = shown;
    const inDiff = from?.diff?.proposalId === proposalId && from.path === path ? from.diff.lines.get(id) : undefined;
    if (inDiff !== undefined) return { id, path, line: inDiff, shownIn: "diff", proposalId };
    if (file.change === "add") return { id, path, line: 0, shownIn: "diff", proposalId };
    return { id, path, line: lineOf(shown, file.lines.length), shownIn: "file", proposalId };
  });
  const written = store.files.flatMap((file) => {
    const count = file.lines.filter(({ isLive }) => isLive).length;
    return shownWritten(file).map((shown): EditPosition => {
      const isGone = shown.written.kind === "delete" && count === 0;
      return { id: shown.id, path: file.path, line: lineOf(shown, count), shownIn: isGone ? "gone" : "file" };
    });
  });
  const groups = Map.groupBy([...proposed, ...written], groupOf);
  return [...groups.values()].flatMap((group) => group.toSorted((one, other) => one.line - other.line));
}

/** What follows the last line is shown at it. */
function lineOf({ range }: ShownHunk, lineCount: number): number {
  return Math.max(0, Math.min(range.start, lineCount - 1));
}

function groupOf({ path, shownIn, proposalId }: EditPosition): string {
  return shownIn === "diff" ? JSON.stringify([path, proposalId]) : path;
}

/**
 * The edit after (1) or before (-1) where somebody looks: in the same file, then in the next file; past the last one, the
 * first. Undefined when none waits.
 */
export function nextEdit(
  positions: readonly EditPosition[],
  from: LookingAt | undefined,
  direction: 1 | -1,
): EditPosition | undefined {
  const inOrder = direction === 1 ? positions : positions.toReversed();
  const isHere = (position: EditPosition) =>
    from !== undefined &&
    position.path === from.path &&
    (position.shownIn === "diff") === (from.diff !== undefined) &&
    (from.diff === undefined || from.diff.proposalId === position.proposalId);
  const here = inOrder.filter(isHere);
  const onward = here.find(({ line }) => (line - (from?.line ?? 0)) * direction > 0);
  if (onward !== undefined) return onward;
  const last = inOrder.findLastIndex(isHere);
  return inOrder[last + 1] ?? inOrder[0];
}
