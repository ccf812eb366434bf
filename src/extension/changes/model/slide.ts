import { lineOf } from "./pieces.ts";
import type { Difference } from "./sequenceDiff.ts";

/** How far a difference is moved at most: a long run of equal lines is no better read at its other end. */
const farthestSlide = 100;

/**
 * Lines that are only added or only removed often fit at several places ("}" before or after them). Moves such a
 * difference to where a reader would put it: at the outermost indentation, not starting with a blank line or a closing
 * bracket, else as far down as it goes. It never touches its neighbours.
 */
export function slideDifferences(
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
