import type { ProposedFile, ProposedHunk } from "./change.ts";
import type { ExactHunk } from "./diffLines.ts";
import { type Extent, type LineEdit, moveEmptied, moveExtent } from "./lineEdit.ts";
import { editorLines, sameLines } from "./pieces.ts";

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
