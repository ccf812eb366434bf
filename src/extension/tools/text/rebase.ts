import type { Extent } from "../../changes/model/lineEdit.ts";
import { mergeTexts } from "../../changes/model/mergeTexts.ts";
import { lineOf, splitPieces } from "../../changes/model/pieces.ts";
import { type Difference, diffSequences } from "../../changes/model/sequenceDiff.ts";

export interface RebasedEdit {
  /** The text that the edit was made for. */
  seen: string;
  /** What the edit makes of it. */
  wanted: string;
  /** The text as it is now. */
  current: string;
  /** What the same edit makes of that: "ambiguous" where it fits in several places, undefined where it fits nowhere. */
  again: { text: string } | "ambiguous" | undefined;
  /** The edit is meant for every place where it fits, also for new ones. */
  everyPlace?: boolean;
}

/**
 * The edit on the text as it is now. Undefined where the lines that it needs have changed: where it does not fit any
 * more, or fits only somewhere else than in the lines it was made for.
 */
export function rebased(edit: RebasedEdit): string | undefined {
  const { seen, wanted, current, again, everyPlace = false } = edit;
  if (again === undefined) return undefined;
  if (again !== "ambiguous" && (everyPlace || isInPlace(edit, again.text))) return again.text;
  // Its lines are there once more: which ones are meant follows from the text that it was made for.
  return again === "ambiguous" ? merged(seen, current, wanted) : undefined;
}

/** A whole new text that was written for another one than there is now; undefined where both changed the same lines. */
export function merged(seen: string, current: string, wanted: string): string | undefined {
  const { text, conflicts } = mergeTexts(seen, current, wanted);
  return conflicts.length === 0 ? text : undefined;
}

function isInPlace({ seen, wanted, current }: RebasedEdit, again: string): boolean {
  if (merged(seen, current, wanted) === again) return true;
  const [seenLines, currentLines] = [linesOf(seen), linesOf(current)];
  const changes = diffSequences(seenLines, currentLines);
  const places = diffSequences(seenLines, linesOf(wanted)).map((difference) => placeAfter(difference, changes));
  return diffSequences(currentLines, linesOf(again)).every(({ aStart, aEnd }) =>
    places.some(({ start, end }) => start <= aStart && aEnd <= end),
  );
}

/** Where the lines stand after the changes, with the whole of those changes that touch them. */
function placeAfter({ aStart, aEnd }: Difference, changes: readonly Difference[]): Extent {
  const touching = changes.filter((change) => change.aStart <= aEnd && aStart <= change.aEnd);
  const shift = addedLines(changes.filter((change) => change.aEnd < aStart));
  const start = Math.min(aStart, touching[0]?.aStart ?? aStart);
  const end = Math.max(aEnd, touching.at(-1)?.aEnd ?? aEnd);
  return { start: start + shift, end: end + shift + addedLines(touching) };
}

function addedLines(changes: readonly Difference[]): number {
  return changes.reduce((sum, { aStart, aEnd, bStart, bEnd }) => sum + bEnd - bStart - (aEnd - aStart), 0);
}

function linesOf(text: string): string[] {
  return splitPieces(text).map(lineOf);
}
