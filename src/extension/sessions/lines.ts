import type { OpenFile } from "../common/files.ts";
import { faultOf, parseEntry } from "./entrySchema.ts";
import { headReader, type LinePlace, type ReadHead } from "./heads.ts";
import { format, growingKind, type Head } from "./records.ts";

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
  /** Where the first line begins: behind a byte order mark. */
  start: number;
  /** Of the first line, which may be the header. */
  firstLength: number;
  /** The highest number in the log, that of a record that was not wanted included; 0 without any. */
  lastSeq: number;
  /** How many lines are no JSON. In a long file only where that shows without parsing them. */
  broken: number;
  /** How many others no version up to this one has written. */
  odd: number;
  /** The file is too long for every line to be parsed. */
  isUnchecked: boolean;
  /** How many records there are of each agent. */
  counts: Map<string, number>;
  /** Records of what had begun and never ended, by the message or call. */
  unfinished: Line[][];
  /** Where the last whole line ends; behind it a write was cut off. */
  end: number;
  size: number;
  /** The last line is whole but for its line end. */
  lacksLineEnd: boolean;
}

const chunkBytes = 4 * 1_024 * 1_024;
/** Every line of a file up to this size is parsed, so that each damaged one is counted. */
const checkedBytes = 8 * 1_024 * 1_024;
const lineEnd = 10;
const carriageReturn = 13;
const closingBrace = 125;
const byteOrderMark = Buffer.from("\ufeff");

/**
 * Finds the records of a file. In a long one none but odd ones are parsed, and what is not wanted is not kept, so that it
 * takes little more than reading. Of a head that is asked about, what is behind `of` may be missing.
 */
export async function findLines(file: OpenFile, isWanted: (head: Head) => boolean): Promise<Lines> {
  const size = await file.size();
  const search = new LineSearch(size, isWanted);
  const { found } = search;
  const buffer = Buffer.allocUnsafe(size > checkedBytes ? chunkBytes : size + 1);
  let start = 0;
  let kept = 0;
  while (start + kept < size) {
    if (kept === buffer.length) {
      // A line that does not fit: its head is here, the rest is looked through without being kept.
      const offset = start + (start === 0 ? found.start : 0);
      const rest = await searchLineEnd(file, start + kept, size);
      if (rest.end === undefined) return endWith(search, await readPart(file, offset, size), offset);
      const head = { buffer, start: offset - start, end: kept };
      const slowly = async () => readPart(file, offset, rest.end ?? size);
      await search.addLong(head, { offset, length: rest.end - offset, isBroken: rest.isBroken }, slowly);
      start = rest.end + 1;
      kept = 0;
      continue;
    }
    const read = await file.read(buffer.subarray(kept), start + kept);
    if (read === 0) break;
    const filled = buffer.subarray(0, kept + read);
    let at = start === 0 && filled.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;
    if (start === 0) found.start = at;
    search.nul = filled.indexOf(0);
    for (let next = filled.indexOf(lineEnd, Math.max(at, kept)); next >= 0; next = filled.indexOf(lineEnd, at)) {
      if (next > at) search.add({ buffer, start: at, end: next }, start + at);
      at = next + 1;
    }
    if (start === 0 && at === found.start) at = 0;
    buffer.copy(buffer, 0, at, filled.length);
    kept = filled.length - at;
    start += at;
  }
  const from = start === 0 ? Math.min(found.start, kept) : 0;
  return endWith(search, buffer.subarray(from, kept), start + from);
}

/** What is behind the last line end. */
function endWith(search: LineSearch, last: Buffer, offset: number): Lines {
  const { found } = search;
  found.end = offset === found.start ? 0 : offset;
  // A head that is whole says nothing of what was to follow.
  if (parseEntry(last) === "broken") return search.result();
  search.nul = -1;
  search.add({ buffer: last, start: 0, end: last.length }, offset);
  found.end = offset + last.length;
  found.lacksLineEnd = true;
  return search.result();
}

async function readPart(file: OpenFile, from: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(end - from);
  return bytes.subarray(0, await file.read(bytes, from));
}

/** Where the line ends that goes on at `from`; undefined when the file ends first. */
async function searchLineEnd(file: OpenFile, from: number, size: number) {
  const bytes = Buffer.allocUnsafe(chunkBytes);
  let isBroken = false;
  let last = 0;
  for (let at = from; at < size; ) {
    const read = await file.read(bytes, at);
    if (read === 0) break;
    const filled = bytes.subarray(0, read);
    const next = filled.indexOf(lineEnd);
    const part = next < 0 ? filled : filled.subarray(0, next);
    isBroken ||= part.includes(0);
    last = part.findLast((byte) => byte !== carriageReturn) ?? last;
    if (next >= 0) return { end: at + next, isBroken: isBroken || last !== closingBrace };
    at += read;
  }
  return { end: undefined, isBroken: true };
}

class LineSearch {
  readonly found: Lines;
  /** Where the next NUL is in the buffer; -1 when there is none. */
  nul = -1;
  readonly #isWanted: (head: Head) => boolean;
  readonly #read: ReturnType<typeof headReader>;
  readonly #growing = new GrowingLines();
  #counted: { of: string | undefined; count: number } = { of: undefined, count: 0 };

  constructor(size: number, isWanted: (head: Head) => boolean) {
    const isUnchecked = size > checkedBytes;
    this.found = {
      ...{ lines: [], start: 0, firstLength: 0, lastSeq: 0, broken: 0, odd: 0, isUnchecked, counts: new Map() },
      ...{ unfinished: [], end: 0, size, lacksLineEnd: false },
    };
    this.#isWanted = isWanted;
    this.#read = headReader((head) => isWanted(head) || this.#growing.isWanted(head));
  }

  add(place: LinePlace, offset: number): void {
    const read = this.#read(place);
    this.#take(read, read === "broken" ? read : this.#faultOf(place, offset), {
      offset,
      length: place.end - place.start,
    });
  }

  /** Of a line that was not kept in memory; `slowly` reads it. */
  async addLong(
    head: LinePlace,
    { isBroken, ...line }: Omit<Line, "head"> & { isBroken: boolean },
    slowly: () => Promise<Buffer>,
  ): Promise<void> {
    let read = this.#read(head);
    if (read === "broken" && !isBroken) {
      const buffer = await slowly();
      read = this.#read({ buffer, start: 0, end: buffer.length });
    }
    this.#take(read, read === "broken" || isBroken ? "broken" : undefined, line);
  }

  #take(read: ReadHead, fault: "broken" | "odd" | undefined, { offset, length }: Omit<Line, "head">): void {
    const { found } = this;
    if (offset === found.start) found.firstLength = length;
    if (fault !== undefined) found[fault] += 1;
    if (read === "broken" || read === undefined) return;
    const { head } = read;
    found.lastSeq = Math.max(found.lastSeq, Math.floor(head.seq));
    if (head.of === this.#counted.of) this.#counted.count += 1;
    else this.#count(head.of);
    if (!read.isWanted) return;
    const line: Line = { offset, length, head };
    if (head.kind !== growingKind && this.#isWanted(head)) found.lines.push(line);
    if (this.#growing.isWanted(head)) this.#growing.add(line);
  }

  /** Neighbouring records are mostly of one agent. */
  #count(next: string | undefined): void {
    const { of, count } = this.#counted;
    const { counts } = this.found;
    if (of !== undefined) counts.set(of, (counts.get(of) ?? 0) + count);
    this.#counted = { of: next, count: 1 };
  }

  result(): Lines {
    this.#count(undefined);
    this.found.unfinished = this.#growing.unfinished();
    return this.found;
  }

  /** The head can be read, but perhaps not what is behind it. In a long file no line gets a view of its own. */
  #faultOf({ buffer, start, end }: LinePlace, offset: number): "broken" | "odd" | undefined {
    if (offset === this.found.start && isHeader(buffer.subarray(start, end))) return undefined;
    if (!this.found.isUnchecked) return faultOf(buffer.subarray(start, end));
    if (this.nul >= 0 && this.nul < start) this.nul = buffer.indexOf(0, start);
    if (this.nul >= 0 && this.nul < end) return "broken";
    const last = buffer[end - 1] === carriageReturn ? buffer[end - 2] : buffer[end - 1];
    return last === closingBrace ? undefined : "broken";
  }
}

const headerStart = Buffer.from(`{"format":"${format}"`);

function isHeader(line: Buffer): boolean {
  return line.subarray(0, headerStart.length).equals(headerStart);
}

/** What ends the message or the call of a record of what grows; the end of an agent ends all of its own. */
const growingEnds: ReadonlySet<string> = new Set(["message_end", "tool_execution_end", "agent_end"]);

/** Records of what has begun and not ended yet, by agent and by message or call. */
class GrowingLines {
  readonly #open = new Map<string, Map<string, Line[]>>();

  isWanted({ kind, of = "" }: Head): boolean {
    return kind === growingKind || (growingEnds.has(kind) && this.#open.has(of));
  }

  add(line: Line): void {
    const { kind, of = "", key = "" } = line.head;
    const open = this.#open.get(of) ?? new Map<string, Line[]>();
    if (kind === growingKind) {
      this.#open.set(of, open);
      const lines = open.get(key);
      if (lines === undefined) open.set(key, [line]);
      else lines.push(line);
      return;
    }
    open.delete(key);
    if (kind === "agent_end" || open.size === 0) this.#open.delete(of);
  }

  unfinished(): Line[][] {
    return [...this.#open.values()].flatMap((open) => [...open.values()]);
  }
}

/** Reads lines, which are in the order of the file, many at once where they stand together. */
export async function* readSessionLines(file: OpenFile, lines: readonly Line[]): AsyncGenerator<[Line, Buffer]> {
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
