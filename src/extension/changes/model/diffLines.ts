import { editorLines, lineOf, splitPieces } from "./pieces.ts";
import { type Difference, diffSequences } from "./sequenceDiff.ts";

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

/** A file is added or deleted as a whole: one hunk, even when it is empty. */
export function wholeFile(before: string, after: string): ExactHunk {
  return {
    oldStart: 1,
    oldLines: linesOf(before),
    oldText: before,
    newStart: 1,
    newLines: linesOf(after),
    newText: after,
  };
}

function linesOf(text: string): string[] {
  const lines = editorLines(text);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/**
 * A run of changed lines. Lines count from 1 and carry no line end. One that only adds stands before line `oldStart`,
 * which is one past the last line at the end of the text; the same holds for `newStart` of one that only removes.
 */
export interface Hunk {
  oldStart: number;
  oldLines: string[];
  newStart: number;
  newLines: string[];
}

/** Ranges of the lines that differ. */
export function replacementsBetween(before: string, after: string) {
  const offsets = [0];
  for (const piece of splitPieces(before)) offsets.push((offsets.at(-1) ?? 0) + piece.length);
  return diffLines(before, after).map(({ oldStart, oldText, newText }) => {
    const start = offsets[oldStart - 1] ?? before.length;
    return { start, end: start + oldText.length, text: newText };
  });
}

/**
 * The text with these hunks of `diffLines(before, …)` applied, in any order, all or some of them.
 * Throws when a hunk's old lines do not stand where it says: such a hunk belongs to another text.
 */
export function applyHunks(before: string, accepted: readonly ExactHunk[]): string {
  const pieces = splitPieces(before);
  const result: string[] = [];
  let done = 0;
  for (const hunk of [...accepted].sort((one, other) => one.oldStart - other.oldStart)) {
    const start = hunk.oldStart - 1;
    const end = start + hunk.oldLines.length;
    if (start < done || pieces.slice(start, end).join("") !== hunk.oldText) {
      throw new Error(`The text at line ${hunk.oldStart} is not the one this hunk was made for.`);
    }
    result.push(pieces.slice(done, start).join(""), hunk.newText);
    done = end;
  }
  return result.join("") + pieces.slice(done).join("");
}

/** How far a difference is moved at most: a long run of equal lines is no better read at its other end. */
const farthestSlide = 100;

/**
 * Lines that are only added or only removed often fit at several places ("}" before or after them). Moves such a
 * difference to where a reader would put it: at the outermost indentation, not starting with a blank line or a closing
 * bracket, else as far down as it goes. It never touches its neighbours.
 */
function slideDifferences(
  before: readonly string[],
  after: readonly string[],
  differences: readonly Difference[],
): Difference[] {
  return differences.map((difference, index) => {
    const { aStart, aEnd, bStart, bEnd } = difference;
    if (aStart < aEnd && bStart < bEnd) return difference;
    const previous = differences[index - 1];
    const next = differences[index + 1];
    const added = aStart === aEnd;
    const lines = added ? after : before;
    const [start, end] = added ? [bStart, bEnd] : [aStart, aEnd];
    const lowest = previous === undefined ? 0 : (added ? previous.bEnd : previous.aEnd) + 1;
    const highest = next === undefined ? lines.length : (added ? next.bStart : next.aStart) - 1;
    const by = bestShift(lines, { start, end, lowest, highest });
    return { aStart: aStart + by, aEnd: aEnd + by, bStart: bStart + by, bEnd: bEnd + by };
  });
}

interface Room {
  start: number;
  end: number;
  /** The difference may begin no earlier than here. */
  lowest: number;
  /** It may end no later than here. */
  highest: number;
}

function bestShift(lines: readonly string[], { start, end, lowest, highest }: Room): number {
  let up = 0;
  while (up < farthestSlide && start - up > lowest && lines[start - up - 1] === lines[end - up - 1]) up++;
  let down = 0;
  while (down < farthestSlide && end + down < highest && lines[start + down] === lines[end + down]) down++;
  let best = 0;
  let lowestCost = Number.POSITIVE_INFINITY;
  for (let by = -up; by <= down; by++) {
    const cost = startCost(lines, start + by) + indentation(lines, end + by);
    if (cost <= lowestCost) [best, lowestCost] = [by, cost];
  }
  return best;
}

function startCost(lines: readonly string[], index: number): number {
  const line = lines[index] ?? "";
  return indentation(lines, index) + (/^\s*(?:[)\]}].*)?$/.test(lineOf(line)) ? 1 : 0);
}

/** Of the first line from here on that is not blank. */
function indentation(lines: readonly string[], from: number): number {
  for (let index = from; index < Math.min(from + farthestSlide, lines.length); index++) {
    const blanks = (lines[index] ?? "").search(/\S/);
    if (blanks >= 0) return blanks;
  }
  return 0;
}
