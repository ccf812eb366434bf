import type { ExactHunk } from "./diffLines.ts";
import { splitPieces } from "./pieces.ts";

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
