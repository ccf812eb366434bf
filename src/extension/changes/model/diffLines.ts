import type { Hunk } from "../review.ts";
import { lineOf, splitPieces } from "./pieces.ts";
import { diffSequences } from "./sequenceDiff.ts";
import { slideDifferences } from "./slide.ts";

/**
 * A hunk that knows its bytes. `oldLines` and `newLines` are for people and models and carry no line ends; `oldText`
 * and `newText` are the exact text of the same lines with their line ends. A hunk may change line ends alone: then the
 * lines are equal and only the texts differ.
 */
export interface ExactHunk extends Hunk {
  oldText: string;
  newText: string;
}

/**
 * The changed runs of lines, minimal, in order, with at least one equal line between two of them. Line ends count as
 * part of a line. A hunk that only adds stands before line `oldStart`, which is one past the last line at the end of
 * the text; the same holds for `newStart` of one that only removes.
 */
export function diffLines(before: string, after: string): ExactHunk[] {
  if (before === after) return [];
  const old = splitPieces(before);
  const now = splitPieces(after);
  return slideDifferences(old, now, diffSequences(old, now)).map(({ aStart, aEnd, bStart, bEnd }) => {
    const oldPieces = old.slice(aStart, aEnd);
    const newPieces = now.slice(bStart, bEnd);
    return {
      oldStart: aStart + 1,
      oldLines: oldPieces.map(lineOf),
      oldText: oldPieces.join(""),
      newStart: bStart + 1,
      newLines: newPieces.map(lineOf),
      newText: newPieces.join(""),
    };
  });
}
