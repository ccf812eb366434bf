import type { ProposedChange } from "../changes/model/change.ts";
import { applyHunks, diffLines, type Hunk } from "../changes/model/diffLines.ts";

/** The text that a change makes of its original when only these of its hunks are kept. */
export function keptText({ before = "", after = "" }: ProposedChange, kept: readonly Hunk[]): string {
  const starts = new Set(kept.map(placeOf));
  return applyHunks(
    before,
    diffLines(before, after).filter((hunk) => starts.has(placeOf(hunk))),
  );
}

function placeOf({ oldStart, newStart }: Hunk): string {
  return `${oldStart}:${newStart}`;
}
