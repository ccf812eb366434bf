import { crc32 } from "node:zlib";
import type { LogEntry } from "../../protocol/messages.ts";
import type { OpenFile } from "../common/files.ts";
import { type Link, linkRecords } from "./links.ts";
import { type Header, parseHeader, parseRecord, parseSnapshot, type StoredRecord, snapshotStart } from "./records.ts";
import { SessionFold } from "./sessionFold.ts";

/** A range of bytes, the end excluded. */
export type ByteRange = [from: number, end: number];

/** A part of a session's file, between two snapshots. */
export interface Segment {
  /** Where its records are. Lines that can't be records are not in them. */
  ranges: ByteRange[];
  /** The highest number of an entry up to its end. */
  lastSeq: number;
  /** Of what a page shows. */
  shown: { entries: number; bytes: number };
  /** Entries that fold to the state ahead of it. */
  state: LogEntry[];
  /** Corrects the agents of damaged records; absent where none is. */
  link?: Link;
}

/** What is behind the latest snapshot of a file. */
export interface Tail {
  start: number;
  crc: number;
  /** Some of it can't be read: the next snapshot must not say that its bytes are right. */
  isDamaged: boolean;
}

/** A session's file, read once from its start to its end. */
export interface SessionFile {
  file: OpenFile;
  size: number;
  /** Absent when it is damaged. */
  header?: Header;
  createdAt: number;
  /** Where the first record is. */
  bodyOffset: number;
  segments: Segment[];
  fold: SessionFold;
  tail: Tail;
  /** Where the last whole line ends; behind it a write was cut off. */
  end: number;
  /** The last line is whole but for its line end. */
  lacksLineEnd: boolean;
  /** Lines that are no JSON. */
  broken: number;
  /** Lines that this version does not write. */
  unknown: number;
  /** Records that belong to no agent. */
  unlinked: number;
}

const chunkBytes = 4 * 1_024 * 1_024;
/** What is read one by one at once, because no snapshot came. */
const maxUncheckedBytes = 8 * 1_024 * 1_024;
const lineEnd = 10;
const byteOrderMark = Buffer.from("\ufeff");
const snapshotMark = Buffer.from(snapshotStart);
const nextSnapshotMark = Buffer.from(`\n${snapshotStart}`);
const recordStart = Buffer.from('{"');

/**
 * Reads a session's file. A segment whose checksum its snapshot has is known by that snapshot; the records of any other
 * are read one by one, so that each damaged line is counted, wherever it is.
 */
export async function readSessionFile(file: OpenFile): Promise<SessionFile> {
  const size = await file.size();
  const start = await readStart(file, size);
  const reading = new FileReading(start);
  for (let at = start.bodyOffset; at < size; ) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size - at));
    const read = await file.read(chunk, at);
    if (read === 0) break;
    reading.add(chunk.subarray(0, read));
    at += read;
  }
  return reading.end();
}

async function readStart(file: OpenFile, size: number): Promise<SessionFile> {
  const bytes = Buffer.allocUnsafe(Math.min(size, 65_536));
  const read = bytes.subarray(0, await file.read(bytes, 0));
  const start = read.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;
  const next = read.indexOf(lineEnd);
  const header = next < 0 ? undefined : parseHeader(read.subarray(start, next));
  const bodyOffset = header === undefined ? start : next + 1;
  return {
    ...{ file, size, bodyOffset, createdAt: header?.createdAt ?? 0, segments: [], fold: new SessionFold() },
    ...{
      tail: { start: bodyOffset, crc: 0, isDamaged: false },
      end: 0,
      lacksLineEnd: false,
      broken: 0,
      unknown: 0,
      unlinked: 0,
    },
    ...(header !== undefined && { header }),
  };
}

interface ReadRecord {
  record: StoredRecord;
  /** In bytes. */
  line: { offset: number; length: number };
}

class FileReading {
  readonly #result: SessionFile;
  /** Bytes that were neither checked nor read, from the start of a line. */
  #held: Buffer = Buffer.alloc(0);
  #heldAt: number;
  /** How much of them was searched for a snapshot. */
  #searched = 0;
  /** The state ahead of them. */
  #state: LogEntry[] = [];
  /** Records since the latest snapshot were read one by one. */
  #isRead = false;
  /** In a line that is too long and no record: where it starts, and the tail ahead of it. */
  #skipped: { start: number; tail: Tail } | undefined;
  #firstAt: number | undefined;

  constructor(result: SessionFile) {
    this.#result = result;
    this.#heldAt = result.bodyOffset;
  }

  add(chunk: Buffer): void {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    if (this.#skipped !== undefined) this.#skip();
    while (this.#addSegment());
    if (this.#held.length <= maxUncheckedBytes) return;
    this.#readRecords(this.#held.lastIndexOf(lineEnd) + 1);
    if (this.#held.length <= maxUncheckedBytes || this.#held.subarray(0, 2).equals(recordStart)) return;
    this.#result.broken += 1;
    this.#isRead = true;
    this.#skipped = { start: this.#heldAt, tail: { ...this.#result.tail } };
    this.#result.tail.isDamaged = true;
    this.#skip();
  }

  #skip(): void {
    const length = this.#held.indexOf(lineEnd) + 1;
    if (length > 0) this.#skipped = undefined;
    const skipped = this.#held.subarray(0, length > 0 ? length : this.#held.length);
    this.#result.tail.crc = crc32(skipped, this.#result.tail.crc);
    this.#drop(skipped.length);
  }

  /** Takes all up to and with the next snapshot, if that is held. */
  #addSegment(): boolean {
    const found = this.#findSnapshot();
    if (found === undefined) return false;
    const [start, end] = found;
    const snapshot = parseSnapshot(this.#held.subarray(start, end));
    if (snapshot === undefined) {
      // It is a damaged line among the others.
      this.#readRecords(end);
      return true;
    }
    const result = this.#result;
    const { fold } = result;
    const isUndamaged = !this.#isRead && crc32(this.#held.subarray(0, start)) === snapshot.crc;
    if (isUndamaged) {
      const { lastSeq, shown } = snapshot;
      const ranges: ByteRange[] = [[this.#heldAt, this.#heldAt + start]];
      result.segments.push({ ranges, lastSeq, shown, state: this.#state });
      fold.restore(snapshot, this.#heldAt);
      this.#state = snapshot.state;
      this.#drop(end);
    } else {
      this.#readRecords(start);
      this.#drop(end - start);
      fold.endSegment();
    }
    this.#isRead = false;
    result.tail = { start: this.#heldAt, crc: 0, isDamaged: false };
    return true;
  }

  /** The line of the first snapshot, with its end. */
  #findSnapshot(): ByteRange | undefined {
    const isFirst = this.#held.subarray(0, snapshotMark.length).equals(snapshotMark);
    const start = isFirst ? 0 : this.#held.indexOf(nextSnapshotMark, this.#searched) + 1;
    const end = isFirst || start > 0 ? this.#held.indexOf(lineEnd, start) + 1 : 0;
    if (end > 0) return [start, end];
    this.#searched = Math.max(0, (start > 0 ? start : this.#held.length) - nextSnapshotMark.length);
    return undefined;
  }

  /** Reads the records of the first bytes that are held one by one. */
  #readRecords(length: number): void {
    if (length === 0) return;
    const result = this.#result;
    const { fold, tail } = result;
    const bytes = this.#held.subarray(0, length);
    const before = fold.shown;
    const read = this.#recordsIn(bytes);
    const { link, unlinked } = linkRecords(
      read.map(({ record }) => record),
      fold,
    );
    for (const { record, line } of read) {
      const linked = link && "agent" in record ? { ...record, agent: link.event(record.agent) } : record;
      for (const ref of fold.add(linked, line.length)) ref.line = line;
    }
    const shown = { entries: fold.shown.entries - before.entries, bytes: fold.shown.bytes - before.bytes };
    const segment: Segment = {
      ...{ ranges: [[this.#heldAt, this.#heldAt + length]], lastSeq: fold.lastSeq, shown, state: this.#state },
      ...(link !== undefined && { link }),
    };
    result.segments.push(segment);
    result.unlinked += unlinked;
    tail.crc = crc32(bytes, tail.crc);
    tail.isDamaged ||= link !== undefined;
    this.#state = fold.state.entries();
    this.#firstAt ??= read[0]?.record.at;
    this.#isRead = true;
    this.#drop(length);
  }

  #recordsIn(bytes: Buffer): ReadRecord[] {
    const result = this.#result;
    const read: ReadRecord[] = [];
    for (const [from, end] of linesIn(bytes)) {
      const line = bytes.subarray(from, end);
      const record = parseRecord(line);
      if (!("fault" in record)) read.push({ record, line: { offset: this.#heldAt + from, length: end - from } });
      else if (parseSnapshot(line) === undefined) {
        result[record.fault] += 1;
        result.tail.isDamaged = true;
        result.fold.lastSeq = Math.max(result.fold.lastSeq, Math.floor(record.seq ?? 0));
      }
    }
    return read;
  }

  #drop(length: number): void {
    this.#held = this.#held.subarray(length);
    this.#heldAt += length;
    this.#searched = 0;
  }

  /** What is behind the last line end is whole if it can be read. */
  end(): SessionFile {
    const result = this.#result;
    const whole = this.#held.lastIndexOf(lineEnd) + 1;
    const last = this.#held.subarray(whole);
    result.lacksLineEnd = last.length > 0 && !("fault" in parseRecord(last));
    this.#readRecords(whole + (result.lacksLineEnd ? last.length : 0));
    if (this.#skipped !== undefined) {
      result.broken -= 1;
      this.#heldAt = this.#skipped.start;
      result.tail = this.#skipped.tail;
    }
    result.end = this.#heldAt === result.bodyOffset && result.header === undefined ? 0 : this.#heldAt;
    if (result.header === undefined) result.createdAt = this.#firstAt ?? result.fold.updatedAt;
    return result;
  }
}

/** The lines that are not empty, as ranges without their ends. */
export function* linesIn(bytes: Buffer): Generator<ByteRange> {
  for (let from = 0; from < bytes.length; ) {
    const next = bytes.indexOf(lineEnd, from);
    const end = next < 0 ? bytes.length : next;
    if (end > from) yield [from, end];
    from = end + 1;
  }
}
