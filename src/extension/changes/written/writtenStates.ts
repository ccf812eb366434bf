import type { AppliedFile, AppliedHunk, OwnedLine } from "../applied/appliedEdits.ts";
import { sameLines } from "../model/fitHunk.ts";
import type { Extent } from "../model/lineEdit.ts";

/** Stands in `by` for lines that were there before an agent first wrote to the file: what has none was typed since. */
export const original = "original";

/** What became of a hunk that an agent wrote, whatever review mode it was written in. */
export interface WrittenState {
  kind: "intact" | "undone" | "changed";
  /** Where it is, or was, in lines of the current text. */
  place: Extent;
  /** The current lines of one that was changed. */
  lines: readonly string[];
}

/** The file as first written to: all of it but what agents wrote is as it was. */
export function withOriginals(file: AppliedFile): AppliedFile {
  const lines = file.lines.map((line) => (line.by === undefined ? { ...line, by: original } : line));
  return { ...file, lines };
}

export function writtenState({ lines }: Pick<AppliedFile, "lines">, { id, hunk }: AppliedHunk): WrittenState {
  const isOwn = ({ by }: OwnedLine) => by === id;
  const isRemoved = ({ goneBy }: OwnedLine) => goneBy === id;
  const first = lines.findIndex((line) => isOwn(line) || isRemoved(line));
  let last = lines.findLastIndex((line) => isOwn(line) || isRemoved(line));
  const part = lines.slice(first, last + 1);
  const own = part.filter(isOwn);
  const removed = part.filter(isRemoved);
  const live = own.filter(({ isLive }) => isLive).length;
  // What a later edit of an agent replaced is that edit's.
  const replaced = own.filter(({ isLive, goneBy }) => !isLive && goneBy !== undefined).length;
  const back = removed.filter(({ isLive }) => isLive).length;
  // What is typed in place of lines comes behind them.
  if (live + replaced < own.length) while (isTyped(lines[last + 1])) last += 1;
  const typed = lines.slice(first, last + 1).filter(isTyped).length;
  const now = lines.slice(first, last + 1).filter(({ isLive }) => isLive);
  const start = lines.slice(0, Math.max(0, first)).filter(({ isLive }) => isLive).length;
  const place = { start, end: start + now.length };
  const texts = now.map(({ text }) => text);
  const isAsWritten = typed === 0 && back === 0 && live + replaced === own.length;
  const isAsBefore = typed === 0 && live + replaced === 0 && back === removed.length;
  // Lines that were typed again are as good as those that came back by an undo.
  const isIntact = first < 0 || isAsWritten || (own.length > 0 && sameLines(texts, hunk.newLines));
  const isUndone = isAsBefore || (live + replaced === 0 && sameLines(texts, hunk.oldLines));
  return { kind: isIntact ? "intact" : isUndone ? "undone" : "changed", place, lines: texts };
}

function isTyped(line: OwnedLine | undefined): boolean {
  return line?.isLive === true && line.by === undefined && line.goneBy === undefined;
}
