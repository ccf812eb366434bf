import type { Replacement } from "../workspace/workspace.ts";
import type { FittedHunk } from "./proposedText.ts";

/**
 * The ranges to replace in a text of these pieces. Hunks that touch become one range, so that their order is certain;
 * what would replace a text with itself is left out.
 */
export function replacementsOf(fitted: readonly FittedHunk[], pieces: readonly string[]): Replacement[] {
  const offsets = [0];
  for (const piece of pieces) offsets.push((offsets.at(-1) ?? 0) + piece.length);
  const result: Replacement[] = [];
  for (const { replacement } of fitted) {
    const start = offsets[replacement.start] ?? 0;
    const end = offsets[replacement.end] ?? start;
    if (pieces.slice(replacement.start, replacement.end).join("") === replacement.text) continue;
    const previous = result.at(-1);
    if (previous?.end === start) result[result.length - 1] = joinedTo(previous, end, replacement.text);
    else result.push({ start, end, text: replacement.text });
  }
  return result;
}

function joinedTo(previous: Replacement, end: number, text: string): Replacement {
  return { start: previous.start, end, text: previous.text + text };
}
