import type { OpenFile } from "./files.ts";
import { readHead } from "./heads.ts";
import type { Head } from "./records.ts";

/** A line of a session's file. */
export interface Line {
  /** In bytes. */
  offset: number;
  /** In bytes, without the line end. */
  length: number;
  /** Undefined for the header, for what another version wrote, and for what can't be read. */
  head: Head | undefined;
  isBroken: boolean;
}

export interface Lines {
  lines: Line[];
  /** Where the last whole record ends; behind it a write was cut off. */
  end: number;
  size: number;
  /** The last record is whole but for its line end. */
  lacksLineEnd: boolean;
}

const chunkBytes = 4 * 1_024 * 1_024;
const lineEnd = 10;

/** Finds the lines of a file. None but odd ones are parsed, so that it takes little more than reading. */
export async function findLines(file: OpenFile): Promise<Lines> {
  const size = await file.size();
  const lines: Line[] = [];
  const strings = new Map<string, string>();
  let buffer = Buffer.allocUnsafe(chunkBytes);
  let start = 0;
  let kept = 0;
  while (start + kept < size) {
    if (kept === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
    const read = await file.read(buffer.subarray(kept), start + kept);
    if (read === 0) break;
    const filled = buffer.subarray(0, kept + read);
    let at = 0;
    for (let next = filled.indexOf(lineEnd, kept); next >= 0; next = filled.indexOf(lineEnd, at)) {
      if (next > at) lines.push(lineOf(filled.subarray(at, next), start + at, strings));
      at = next + 1;
    }
    buffer.copy(buffer, 0, at, filled.length);
    kept = filled.length - at;
    start += at;
  }
  const last = lineOf(buffer.subarray(0, kept), start, strings);
  const lacksLineEnd = kept > 0 && !last.isBroken;
  if (lacksLineEnd) lines.push(last);
  return { lines, end: lacksLineEnd ? start + kept : start, size, lacksLineEnd };
}

function lineOf(bytes: Buffer, offset: number, strings: Map<string, string>): Line {
  const read = readHead(bytes, strings);
  return { offset, length: bytes.length, head: read === "broken" ? undefined : read, isBroken: read === "broken" };
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
