import { applyHunks } from "../review/hunks/applyHunks.ts";
import { diffLines } from "../review/hunks/diffLines.ts";
import type { Hunk, ProposedChange } from "../review/review.ts";

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
