import { editorLines } from "./pieces.ts";
import { diffSequences } from "./sequenceDiff.ts";

/** Whether a text that somebody may have typed into is nearer to what a write was to leave than to what was before it. */
export function isNearer(now: string, before: string, after: string): boolean {
  if (now === after) return true;
  return now !== before && distance(after, now) < distance(before, now);
}

function distance(one: string, other: string): number {
  return diffSequences(editorLines(one), editorLines(other)).reduce(
    (sum, { aStart, aEnd, bStart, bEnd }) => sum + Math.max(aEnd - aStart, bEnd - bStart),
    0,
  );
}
