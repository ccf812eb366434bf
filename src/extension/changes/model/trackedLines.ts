import type { RemovedFile } from "../../workspace/workspace.ts";
import type { Author, TrackedFile, TrackedLine, WrittenHunk } from "./change.ts";
import { diffLines, type ExactHunk, wholeFile } from "./diffLines.ts";
import type { Extent } from "./lineEdit.ts";
import { lineEndOf, lineOf, splitPieces } from "./pieces.ts";

/** A file without pending hunks. */
export function untouched(path: string, languageId: string, text: string): TrackedFile {
  return { path, languageId, lines: splitPieces(text).map((piece) => lineFrom(piece)), hunks: [] };
}

export function lineFrom(piece: string, by?: string): TrackedLine {
  return { text: lineOf(piece), end: lineEndOf(piece), isLive: true, ...(by === undefined ? {} : { by }) };
}

/** The text of the file. */
export function liveText({ lines }: Pick<TrackedFile, "lines">): string {
  return lines.map(({ text, end, isLive }) => (isLive ? text + end : "")).join("");
}

/** The lines with a line end for each that is followed by another. */
export function ended(lines: readonly TrackedLine[]): readonly TrackedLine[] {
  const last = lines.findLastIndex(({ isLive }) => isLive);
  const isOpen = ({ end, isLive }: TrackedLine, index: number) => isLive && end === "" && index < last;
  if (!lines.some(isOpen)) return lines;
  const usual = lines.find(({ isLive, end }) => isLive && end !== "")?.end ?? "\n";
  return lines.map((line, index) => (isOpen(line, index) ? { ...line, end: usual } : line));
}

/** Where the lines from the `start`th live one to before the `end`th are, with those that are gone around them. */
export function spanOf(lines: readonly TrackedLine[], { start, end }: Extent): Extent {
  const live = lines.flatMap(({ isLive }, index) => (isLive ? [index] : []));
  return { start: (live[start - 1] ?? -1) + 1, end: live[end] ?? lines.length };
}

/** A line that is gone, that no pending hunk could bring back and that no agent wrote is forgotten. */
export function isRemembered({ isLive, by, goneBy, movedFrom }: TrackedLine): boolean {
  return isLive || by !== undefined || goneBy !== undefined || movedFrom !== undefined;
}

/** One write of an agent: `before` is absent for a new file, `after` for one that is removed. */
export interface AgentWrite {
  before?: string;
  after?: string;
  removed?: RemovedFile | undefined;
  author: Author;
  newId(): string;
}

/** The file with the hunks of one write added to it. `file` is its state just before: its lines are those of `before`. */
export function recordWrite(file: TrackedFile, { before, after, removed, author, newId }: AgentWrite): TrackedFile {
  const kind = before === undefined ? "add" : after === undefined ? "delete" : "update";
  const changes = kind === "update" ? diffLines(before ?? "", after ?? "") : [wholeFile(before ?? "", after ?? "")];
  const written = changes.map(
    (hunk): WrittenHunk => ({ id: newId(), author, kind, hunk, ...(removed && { removed }) }),
  );
  // From the last one up, so that the lines of the others are where they were.
  const lines = written.toReversed().reduce((result, { id, hunk }) => withHunk(result, id, hunk), file.lines);
  return { ...file, lines, hunks: [...file.hunks, ...written] };
}

/** The lines after a hunk of them was written; they are those of the text that it was made for. */
export function withHunk(
  lines: readonly TrackedLine[],
  id: string,
  { oldStart, oldLines, newText }: ExactHunk,
): TrackedLine[] {
  const start = oldStart - 1;
  const span = spanOf(lines, { start, end: start + oldLines.length });
  const removed = lines.slice(span.start, span.end).map((line) => (line.isLive ? removedBy(line, id) : line));
  // The new lines come right after the last one they replace, or where nothing is replaced, after all that was removed there.
  const last = removed.findLastIndex(({ goneBy }) => goneBy === id);
  const at = last < 0 ? removed.length : last + 1;
  const added = splitPieces(newText).map((piece) => lineFrom(piece, id));
  const all = [...removed.slice(0, at), ...added, ...removed.slice(at)];
  return [...lines.slice(0, span.start), ...all, ...lines.slice(span.end)];
}

function removedBy({ isTypedOver: _, ...line }: TrackedLine, id: string): TrackedLine {
  return { ...line, isLive: false, goneBy: id };
}
