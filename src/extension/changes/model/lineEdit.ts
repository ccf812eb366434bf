import type { ProposedFile, ProposedHunk } from "./change.ts";
import type { ExactHunk } from "./diffLines.ts";
import { editorLines, sameLines } from "./pieces.ts";
import { diffSequences } from "./sequenceDiff.ts";

/**
 * One change of a text by position, as an editor reports it: what stood from start to end became `lines` (the new text
 * split at its line breaks, so at least one). Lines and characters count from 0.
 */
export interface LineEdit {
  startLine: number;
  startCharacter: number;
  endLine: number;
  endCharacter: number;
  lines: readonly string[];
}

/** Lines from `start` to before `end`, from 0. Empty means the place before line `start`. */
export interface Extent {
  start: number;
  end: number;
}

/** Where the lines of an extent are after an edit. What an edit cut into is included whole. */
function moveExtent(extent: Extent, edit: LineEdit): Extent {
  const { start, end } = extent;
  if (start === end) return movePlace(start, edit);
  const movedStart = isBefore(edit, start) ? start + growth(edit) : Math.min(start, edit.startLine);
  const movedEnd = isFrom(edit, end)
    ? end
    : isBefore(edit, end)
      ? end + growth(edit)
      : edit.startLine + edit.lines.length;
  return { start: movedStart, end: Math.max(movedStart, movedEnd) };
}

/**
 * Where lines that were all removed would come back: like `moveExtent`, except that what is put exactly there belongs
 * to them, so that undoing the removal finds them again.
 */
function moveEmptied(extent: Extent, edit: LineEdit): Extent {
  const place = extent.start;
  if (edit.startLine !== place || edit.startCharacter !== 0) return moveExtent(extent, edit);
  return { start: place, end: place + edit.lines.length - 1 };
}

function movePlace(place: number, edit: LineEdit): Extent {
  if (edit.startLine >= place) return { start: place, end: place };
  if (isBefore(edit, place)) return { start: place + growth(edit), end: place + growth(edit) };
  return { start: edit.startLine, end: edit.startLine + edit.lines.length };
}

/** The edit lies before this line and leaves it a line of its own. */
function isBefore(edit: LineEdit, line: number): boolean {
  if (edit.endLine < line) return true;
  if (edit.endLine > line || edit.endCharacter > 0) return false;
  const last = edit.lines.at(-1) ?? "";
  return last === "" && (edit.lines.length > 1 || edit.startCharacter === 0);
}

function isFrom(edit: LineEdit, line: number): boolean {
  return edit.startLine >= line;
}

function growth(edit: LineEdit): number {
  return edit.lines.length - 1 - (edit.endLine - edit.startLine);
}

/** Edits of whole lines that lead from one text to another, last first, so that each fits the text it meets. */
export function editsBetween(before: readonly string[], after: readonly string[]): LineEdit[] {
  return diffSequences(before, after)
    .toReversed()
    .map(({ aStart, aEnd, bStart, bEnd }) => ({
      startLine: aStart,
      startCharacter: 0,
      endLine: aEnd,
      endCharacter: 0,
      lines: [...after.slice(bStart, bEnd), ""],
    }));
}

/** The reported edits if they lead from one text to the other, else whatever ones do. */
export function fittingEdits(
  before: readonly string[],
  reported: readonly LineEdit[],
  after: readonly string[],
): readonly LineEdit[] {
  return reported.length > 0 && leadsTo(before, reported, after) ? reported : editsBetween(before, after);
}

/** Edits that were reported for another state of the text would move hunks to wrong places. */
function leadsTo(before: readonly string[], edits: readonly LineEdit[], after: readonly string[]): boolean {
  let lines = before;
  for (const edit of edits) {
    const first = lines[edit.startLine];
    const last = lines[edit.endLine];
    if (first === undefined || last === undefined) return false;
    const replaced = [...edit.lines];
    replaced[0] = first.slice(0, edit.startCharacter) + (replaced[0] ?? "");
    replaced[replaced.length - 1] = (replaced.at(-1) ?? "") + last.slice(edit.endCharacter);
    lines = lines.slice(0, edit.startLine).concat(replaced, lines.slice(edit.endLine + 1));
  }
  return sameLines(lines, after);
}

/** The file after its text changed: hunks move with their lines, and one whose lines changed is in conflict. */
export function withText(file: ProposedFile, lines: readonly string[], edits: readonly LineEdit[]): ProposedFile {
  if (file.movedTo !== undefined) return { ...file, lines };
  if (file.change === "delete") return { ...file, lines, hunks: file.hunks.map((hunk) => trackDeletion(hunk, lines)) };
  return { ...file, lines, hunks: file.hunks.map((hunk) => trackHunk(hunk, lines, edits)) };
}

/** A file goes as a whole or not at all: any other text in it is a conflict. */
function trackDeletion(tracked: ProposedHunk, lines: readonly string[]): ProposedHunk {
  const end = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  return { ...tracked, extent: { start: 0, end }, conflicted: !sameLines(lines, editorLines(tracked.hunk.oldText)) };
}

function trackHunk(tracked: ProposedHunk, lines: readonly string[], edits: readonly LineEdit[]): ProposedHunk {
  const { hunk } = tracked;
  let { extent } = tracked;
  for (const edit of edits) {
    const emptied = extent.start === extent.end && hunk.oldLines.length > 0;
    extent = emptied ? moveEmptied(extent, edit) : moveExtent(extent, edit);
  }
  extent = narrowed(hunk, extent, lines);
  const conflicted = !fits(hunk, extent, lines);
  const { start, end } = tracked.extent;
  if (start === extent.start && end === extent.end && conflicted === tracked.conflicted) return tracked;
  return { ...tracked, extent, conflicted };
}

/** The old lines stand there, or the user already made the change. What follows the last line end is no line yet. */
function fits(hunk: ExactHunk, extent: Extent, lines: readonly string[]): boolean {
  if (extent.end > (lines.at(-1) === "" ? lines.length - 1 : lines.length)) return false;
  const current = lines.slice(extent.start, extent.end);
  return sameLines(current, hunk.oldLines) || sameLines(current, hunk.newLines);
}

/** When lines were put beside the old ones, or an undo brought them back among others: just the old lines. */
function narrowed(hunk: ExactHunk, extent: Extent, lines: readonly string[]): Extent {
  const length = hunk.oldLines.length;
  if (length === 0 || extent.end - extent.start <= length) return extent;
  const found: Extent[] = [];
  for (let start = extent.start; start + length <= extent.end; start++) {
    const candidate = { start, end: start + length };
    if (sameLines(lines.slice(start, candidate.end), hunk.oldLines)) found.push(candidate);
  }
  const [only, ...others] = found;
  return only !== undefined && others.length === 0 ? only : extent;
}
