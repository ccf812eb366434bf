import type { Replacement } from "../../workspace/workspace.ts";
import { type ProposedFile, type ProposedHunk, pendingHunks, type WrittenHunk } from "./change.ts";
import { type ExactHunk, wholeFile } from "./diffLines.ts";
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
 * the new lines already are, they are replaced with themselves. On the text the hunk was made for, the result is
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

/**
 * The hunk of a file, of whose lines others made something else, as if it had been made for what they are now: then it
 * replaces them. One that only adds comes after what was changed around it, so that nothing is lost.
 */
export function rebasedHunk(file: ProposedFile, hunk: ProposedHunk, text: string): ProposedHunk {
  const pieces = splitPieces(text);
  if (file.change === "delete") {
    const whole = wholeFile(text, "");
    return { ...hunk, hunk: whole, extent: { start: 0, end: whole.oldLines.length }, conflicted: false };
  }
  const end = Math.min(hunk.extent.end, pieces.length);
  const start = hunk.hunk.oldLines.length === 0 ? end : Math.min(hunk.extent.start, end);
  const current = pieces.slice(start, end);
  const lineEnds = { made: usualLineEnd(pieces), now: file.lineEnd };
  return {
    ...hunk,
    hunk: {
      ...hunk.hunk,
      oldStart: start + 1,
      oldLines: current.map(lineOf),
      // As the other hunks of the file, it is made for the line ends that the agent knew.
      oldText: withLineEnds(current.join(""), lineEnds),
    },
    extent: { start, end },
    conflicted: false,
  };
}

/** A file that is added or moved goes where it was meant to go, or not at all. */
export function canRebase({ change, movedTo }: ProposedFile): boolean {
  return change !== "add" && movedTo === undefined;
}

interface FittedHunk {
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
  /** Where each hunk's new lines are in it, by hunk id. */
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

/** A write that is about to happen: all hunks of one file that it writes, or none of them. */
export interface PlannedWrite {
  path: string;
  kind: WrittenHunk["kind"];
  /** What the file holds; empty for one that is not there, or that is moved. */
  before: string;
  languageId: string;
  /** As they are written into that text, from the top down. */
  hunks: readonly PlacedHunk[];
  /** Ids of these hunks and of the same ones in other proposals. */
  hunkIds: ReadonlySet<string>;
  movedTo?: string;
}

interface PlacedHunk {
  hunk: ProposedHunk;
  placed: ExactHunk;
}

/** Hunks as they are written into a text of these pieces. What would replace a text with itself is left out. */
export function placedHunks(fitted: readonly FittedHunk[], pieces: readonly string[]): PlacedHunk[] {
  return fitted.flatMap(({ hunk, replacement: { start, end, text } }) => {
    const old = pieces.slice(start, end);
    if (old.join("") === text) return [];
    const above = pieces[start - 1];
    // A last line without a line end gets one when something follows it.
    const touchesAbove = text !== "" && above !== undefined && lineEndOf(above) === "";
    const placed = touchesAbove ? exactHunk(start - 1, [above, ...old], above + text) : exactHunk(start, old, text);
    return [{ hunk, placed }];
  });
}

function exactHunk(start: number, old: readonly string[], newText: string): ExactHunk {
  return {
    oldStart: start + 1,
    oldLines: old.map(lineOf),
    oldText: old.join(""),
    newStart: start + 1,
    newLines: splitPieces(newText).map(lineOf),
    newText,
  };
}
