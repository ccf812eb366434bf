import type { Replacement } from "../../workspace/workspace.ts";
import { type ProposedFile, type ProposedHunk, pendingHunks } from "./change.ts";
import type { ExactHunk } from "./diffLines.ts";
import type { Extent } from "./lineEdit.ts";
import { lineEndOf, lineOf, sameLines, splitPieces, usualLineEnd } from "./pieces.ts";

/** Pieces of the current text from `start` to before `end` that become `text`. */
interface PieceReplacement extends Extent {
  text: string;
}

/** The usual line end of the text a hunk was made for, and of the text as it is now. */
interface LineEnds {
  made: string;
  now: string;
}

/**
 * How to write a hunk into the text as it is now; undefined when the lines it replaces are not there any more. Where
 * the new lines already stand, they are replaced with themselves. On the text the hunk was made for, the result is
 * exact. On another one the hunk takes that text's line ends (an editor knows only one kind per document), a last line
 * keeps or lacks its own as the user left it, and neighbours stay lines of their own.
 */
function fitHunk(
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
  return { ...extent, text: separatedText(adapted(hunk, current, lineEnds), extent, pieces, lineEnds) };
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

function separatedText(text: string, extent: Extent, pieces: readonly string[], { now }: LineEnds): string {
  if (text === "") return text;
  if (extent.end < pieces.length) return lineEndOf(text) === "" ? text + now : text;
  const above = pieces[extent.start - 1];
  return above !== undefined && lineEndOf(above) === "" ? now + lineOf(text) : text;
}

export interface FittedHunk {
  hunk: ProposedHunk;
  replacement: PieceReplacement;
}

/** The hunks that can be written into this text, from the top down. */
export function fitHunks(file: ProposedFile, hunks: readonly ProposedHunk[], pieces: readonly string[]): FittedHunk[] {
  const lineEnds = { made: file.lineEnd, now: usualLineEnd(pieces) };
  return hunks
    .flatMap((hunk) => {
      const replacement = fitHunk(hunk.hunk, hunk.extent, pieces, lineEnds);
      return replacement === undefined ? [] : [{ hunk, replacement }];
    })
    .sort((one, other) => one.replacement.start - other.replacement.start);
}

interface ProposedText {
  text: string;
  /** Where each hunk's new lines stand in it, by hunk id. */
  extents: ReadonlyMap<string, Extent>;
}

/** The current text with everything applied that is still pending and can be. */
export function proposedText(file: ProposedFile, currentText: string): ProposedText {
  const pieces = splitPieces(currentText);
  if (file.movedTo !== undefined) return { text: currentText, extents: new Map() };
  if (file.change === "delete") return { text: "", extents: new Map() };
  const extents = new Map<string, Extent>();
  const result: string[] = [];
  let done = 0;
  let lines = 0;
  for (const { hunk, replacement } of fitHunks(file, pendingHunks(file), pieces)) {
    lines += replacement.start - done;
    result.push(pieces.slice(done, replacement.start).join(""), replacement.text);
    const end = lines + splitPieces(replacement.text).length;
    extents.set(hunk.id, { start: lines, end });
    [done, lines] = [replacement.end, end];
  }
  return { text: result.join("") + pieces.slice(done).join(""), extents };
}

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
