import { parseEntry } from "./entrySchema.ts";
import type { OpenFile } from "./files.ts";
import { headReader, type ReadHead } from "./heads.ts";
import type { Head } from "./records.ts";

/** A record of a session's file, by its head alone. */
export interface Line {
  /** In bytes. */
  offset: number;
  /** In bytes, without the line end. */
  length: number;
  head: Head;
}

export interface Lines {
  /** The records that were wanted. */
  lines: Line[];
  /** Of the first line, which may be the header. */
  firstLength: number;
  /** The highest number in the log, that of a record that was not wanted included; 0 without any. */
  lastSeq: number;
  /** How many lines can't be read. */
  broken: number;
  /** Where the last whole line ends; behind it a write was cut off. */
  end: number;
  size: number;
  /** The last line is whole but for its line end. */
  lacksLineEnd: boolean;
}

const chunkBytes = 4 * 1_024 * 1_024;
const lineEnd = 10;

/**
 * Finds the records of a file. None but odd ones are parsed, and what is not wanted is not kept, so that it takes little
 * more than reading. Of a head that is asked about, what stands behind `of` may be missing.
 */
export async function findLines(file: OpenFile, isWanted: (head: Head) => boolean): Promise<Lines> {
  const size = await file.size();
  const found: Lines = { lines: [], firstLength: 0, lastSeq: 0, broken: 0, end: 0, size, lacksLineEnd: false };
  const reader = headReader(isWanted);
  let buffer = Buffer.allocUnsafe(Math.min(chunkBytes, size + 1));
  let start = 0;
  let kept = 0;
  while (start + kept < size) {
    if (kept === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
    const read = await file.read(buffer.subarray(kept), start + kept);
    if (read === 0) break;
    const filled = buffer.subarray(0, kept + read);
    let at = 0;
    for (let next = filled.indexOf(lineEnd, kept); next >= 0; next = filled.indexOf(lineEnd, at)) {
      if (next > at) addLine(found, reader({ buffer, start: at, end: next }), [start + at, next - at]);
      at = next + 1;
    }
    buffer.copy(buffer, 0, at, filled.length);
    kept = filled.length - at;
    start += at;
  }
  found.end = start;
  // A head that is whole says nothing of what was to follow.
  if (parseEntry(buffer.subarray(0, kept)) === "broken") return found;
  addLine(found, reader({ buffer, start: 0, end: kept }), [start, kept]);
  return { ...found, end: start + kept, lacksLineEnd: true };
}

function addLine(found: Lines, read: ReadHead, [offset, length]: [number, number]): void {
  if (offset === 0) found.firstLength = length;
  if (read === "broken") found.broken += 1;
  if (read === "broken" || read === undefined) return;
  found.lastSeq = Math.max(found.lastSeq, Math.floor(read.head.seq));
  if (read.isWanted) found.lines.push({ offset, length, head: read.head });
}

/** Reads lines, which are in the order of the file, many at once where they stand together. */
export async function* readLines(file: OpenFile, lines: readonly Line[]): AsyncGenerator<[Line, Buffer]> {
  for (let first = 0; first < lines.length; ) {
    const start = lines[first]?.offset ?? 0;
    let count = 0;
    let end = start;
    for (const line of lines.slice(first, first + 1_000)) {
      const isFar = line.offset - end > 65_536 || (count > 0 && line.offset + line.length - start > chunkBytes);
      if (isFar) break;
      end = line.offset + line.length;
      count += 1;
    }
    const bytes = Buffer.allocUnsafe(end - start);
    const read = await file.read(bytes, start);
    for (const line of lines.slice(first, first + count)) {
      const from = line.offset - start;
      if (from + line.length <= read) yield [line, bytes.subarray(from, from + line.length)];
    }
    first += count;
  }
}
