import type { RemovedFile } from "../../workspace/workspace.ts";
import { diffLines, type ExactHunk } from "../model/diffLines.ts";
import { splitPieces } from "../model/pieces.ts";
import { wholeFile } from "../openProposal.ts";
import type { AppliedFile, AppliedHunk, Author, OwnedLine } from "./appliedEdits.ts";
import { lineFrom, spanOf } from "./ownedLines.ts";

/** One write of an agent: `before` is absent for a new file, `after` for one that is gone. */
export interface AgentWrite {
  before?: string;
  after?: string;
  removed?: RemovedFile | undefined;
  author: Author;
  newId(): string;
}

/** The file with the hunks of one write added to it. `file` is its state just before: its lines are those of `before`. */
export function recordWrite(file: AppliedFile, { before, after, removed, author, newId }: AgentWrite): AppliedFile {
  const kind = before === undefined ? "add" : after === undefined ? "delete" : "update";
  const changes = kind === "update" ? diffLines(before ?? "", after ?? "") : [wholeFile(before ?? "", after ?? "")];
  const written = changes.map(
    (hunk): AppliedHunk => ({ id: newId(), author, kind, hunk, ...(removed && { removed }) }),
  );
  // From the last one up, so that the lines of the others are where they were.
  const lines = written.toReversed().reduce((result, { id, hunk }) => withHunk(result, id, hunk), file.lines);
  return { ...file, lines, hunks: [...file.hunks, ...written] };
}

/** The lines after a hunk of them was written; they are those of the text that it was made for. */
export function withHunk(
  lines: readonly OwnedLine[],
  id: string,
  { oldStart, oldLines, newText }: ExactHunk,
): OwnedLine[] {
  const start = oldStart - 1;
  const span = spanOf(lines, { start, end: start + oldLines.length });
  const removed = lines.slice(span.start, span.end).map((line) => (line.isLive ? gone(line, id) : line));
  // The new lines come right after the last one they replace, or where nothing is replaced, after all that is gone there.
  const last = removed.findLastIndex(({ goneBy }) => goneBy === id);
  const at = last < 0 ? removed.length : last + 1;
  const added = splitPieces(newText).map((piece) => lineFrom(piece, id));
  return [...lines.slice(0, span.start), ...removed.toSpliced(at, 0, ...added), ...lines.slice(span.end)];
}

function gone(line: OwnedLine, id: string): OwnedLine {
  return { ...line, isLive: false, goneBy: id };
}
