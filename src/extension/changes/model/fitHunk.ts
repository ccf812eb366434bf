import type { ExactHunk } from "./diffLines.ts";
import type { Extent } from "./lineEdit.ts";
import { lineEndOf, lineOf, splitPieces } from "./pieces.ts";

/** Pieces of the current text from `start` to before `end` that become `text`. */
export interface PieceReplacement extends Extent {
  text: string;
}

/** The usual line end of the text a hunk was made for, and of the text as it is now. */
export interface LineEnds {
  made: string;
  now: string;
}

/**
 * How to write a hunk into the text as it is now; undefined when the lines it replaces are not there any more. Where
 * the new lines already stand, they are replaced with themselves. On the text the hunk was made for, the result is
 * exact. On another one the hunk takes that text's line ends (an editor knows only one kind per document), a last line
 * keeps or lacks its own as the user left it, and neighbours stay lines of their own.
 */
export function fitHunk(
  hunk: ExactHunk,
  extent: Extent,
  pieces: readonly string[],
  lineEnds: LineEnds,
): PieceReplacement | undefined {
  if (extent.end > pieces.length) return undefined;
  const current = pieces.slice(extent.start, extent.end);
  const lines = current.map(lineOf);
  if (!sameLines(lines, hunk.oldLines)) {
    return sameLines(lines, hunk.newLines) ? { ...extent, text: current.join("") } : undefined;
  }
  return { ...extent, text: joined(adapted(hunk, current, lineEnds), extent, pieces, lineEnds) };
}

function adapted(hunk: ExactHunk, current: readonly string[], lineEnds: LineEnds): string {
  if (current.length > 0 && current.join("") === hunk.oldText) return hunk.newText;
  const text = sameLines(hunk.oldLines, hunk.newLines) ? hunk.newText : withLineEnds(hunk.newText, lineEnds);
  const lostLineEnd = lineEndOf(hunk.oldText) !== "" && lineEndOf(current.at(-1) ?? "\n") === "";
  return lostLineEnd ? lineOf(text) : text;
}

function withLineEnds(text: string, { made, now }: LineEnds): string {
  if (made === now) return text;
  const changed = splitPieces(text).map((piece) => (lineEndOf(piece) === made ? lineOf(piece) + now : piece));
  return changed.join("");
}

function joined(text: string, extent: Extent, pieces: readonly string[], { now }: LineEnds): string {
  if (text === "") return text;
  if (extent.end < pieces.length) return lineEndOf(text) === "" ? text + now : text;
  const above = pieces[extent.start - 1];
  return above !== undefined && lineEndOf(above) === "" ? now + lineOf(text) : text;
}

/** The most frequent line end; LF in a text without any. */
export function usualLineEnd(pieces: readonly string[]): string {
  const counts = new Map<string, number>([["\n", 0]]);
  for (const piece of pieces) {
    const lineEnd = lineEndOf(piece);
    if (lineEnd !== "") counts.set(lineEnd, (counts.get(lineEnd) ?? 0) + 1);
  }
  return [...counts].reduce((most, entry) => (entry[1] > most[1] ? entry : most))[0];
}

export function sameLines(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}
