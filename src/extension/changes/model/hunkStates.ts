import type { TrackedLine, WrittenFile, WrittenHunk } from "./change.ts";
import type { Extent } from "./lineEdit.ts";
import { sameLines } from "./pieces.ts";

/** How a pending hunk stands in the text as it is now. */
interface HunkState {
  /** Where it stands, in lines of the current text; empty where it only removed. */
  range: Extent;
  /** False when taking it back would lose or tear apart what somebody else wrote into its lines. */
  isUndoable: boolean;
  /** The user has put the old lines back by hand: there is nothing left to decide. */
  isUndone: boolean;
}

interface Found {
  /** Its new lines, as counted among all lines that pending hunks wrote. */
  first: number;
  last: number;
  count: number;
  /** How many of them stand in the text. */
  live: number;
  /** How many lines that it removed are still gone. */
  gone: number;
  isWrittenOver: boolean;
  written?: Extent;
  removed?: Extent;
}

/** All in one pass: a file may have thousands of lines, and this is asked with every key that is pressed in it. */
export function hunkStates({ lines, hunks }: Pick<WrittenFile, "lines" | "hunks">): ReadonlyMap<string, HunkState> {
  const found = new Map(hunks.map(({ id }) => [id, nothing()]));
  let line = 0;
  let owned = 0;
  for (const { isLive, by, goneBy } of lines) {
    const writer = by === undefined ? undefined : found.get(by);
    if (writer !== undefined) {
      writer.first = writer.count === 0 ? owned : writer.first;
      writer.last = owned;
      writer.count += 1;
      if (goneBy !== undefined) writer.isWrittenOver = true;
      if (isLive) writer.live += 1;
      if (isLive) writer.written = { start: writer.written?.start ?? line, end: line + 1 };
      else writer.removed ??= { start: line, end: line };
      owned += 1;
    }
    const remover = goneBy === undefined ? undefined : found.get(goneBy);
    if (remover !== undefined) {
      remover.removed ??= { start: line, end: line };
      if (!isLive) remover.gone += 1;
    }
    if (isLive) line += 1;
  }
  return new Map(hunks.map((hunk) => [hunk.id, stateOf(hunk, found.get(hunk.id) ?? nothing())]));
}

function nothing(): Found {
  return { first: 0, last: -1, count: 0, live: 0, gone: 0, isWrittenOver: false };
}

function stateOf({ kind, hunk }: WrittenHunk, found: Found): HunkState {
  const { first, last, count, live, gone, isWrittenOver, written, removed } = found;
  const isUndone = kind === "update" && live === 0 && gone === 0;
  const isAmongOthers = last - first + 1 > count;
  // Lines that replaced others have to be there as they were written; lines that were only added may have changed.
  const stands = hunk.oldLines.length === 0 || live === hunk.newLines.length || isUndone;
  return {
    range: written ?? removed ?? { start: 0, end: 0 },
    isUndoable: stands && !isWrittenOver && !isAmongOthers,
    isUndone,
  };
}

/** Stands in `by` for lines that were there before an agent first wrote to the file: what has none was typed since. */
export const original = "original";

/** What became of a hunk that an agent wrote, whatever review mode it was written in. */
export interface WrittenState {
  kind: "intact" | "undone" | "changed";
  /** Where it is, or was, in lines of the current text. */
  range: Extent;
  /** The current lines of one that was changed. */
  lines: readonly string[];
}

/** The file as first written to: all of it but what agents wrote is as it was. */
export function withOriginals(file: WrittenFile): WrittenFile {
  const lines = file.lines.map((line) => (line.by === undefined ? { ...line, by: original } : line));
  return { ...file, lines };
}

export function writtenState({ lines }: Pick<WrittenFile, "lines">, { id, hunk }: WrittenHunk): WrittenState {
  const isOwn = ({ by }: TrackedLine) => by === id;
  const isRemoved = ({ goneBy }: TrackedLine) => goneBy === id;
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
  const range = { start, end: start + now.length };
  const texts = now.map(({ text }) => text);
  const isAsWritten = typed === 0 && back === 0 && live + replaced === own.length;
  const isAsBefore = typed === 0 && live + replaced === 0 && back === removed.length;
  // Lines that were typed again are as good as those that came back by an undo.
  const isIntact = first < 0 || isAsWritten || (own.length > 0 && sameLines(texts, hunk.newLines));
  const isUndone = isAsBefore || (live + replaced === 0 && sameLines(texts, hunk.oldLines));
  return { kind: isIntact ? "intact" : isUndone ? "undone" : "changed", range, lines: texts };
}

function isTyped(line: TrackedLine | undefined): boolean {
  return line?.isLive === true && line.by === undefined && line.goneBy === undefined;
}
