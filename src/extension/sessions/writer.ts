import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import type { LogEntry } from "../../protocol/messages.ts";
import { removeQuietly } from "../common/atomicFile.ts";
import { type Files, isFileSystemError } from "../common/files.ts";
import type { Lock } from "../common/lock.ts";
import { GrowingText } from "./growing.ts";
import { Recorder } from "./recorder.ts";
import { formatHeader, formatRecord, formatSnapshot, type StoredRecord } from "./records.ts";
import { setSessionAside } from "./removed.ts";
import type { SessionAppender } from "./session.ts";
import { SessionFold } from "./sessionFold.ts";
import type { MessageRef } from "./transcriptHistory.ts";

export interface WriterOptions {
  id: string;
  path: string;
  files: Files;
  now(): number;
  /** Called with what can't be written, once until it can be again. */
  onTrouble(error: unknown): void;
  onClose(): void;
  /** Called when the session's file was deleted and is written again. */
  onRewritten?(): void;
  /** Of a new session it is taken with the first record. Absent where none could be had. */
  lock?: Lock | (() => Lock);
  /** Runs it a little later, once. Default: half a second. */
  later?: Later;
  written: WrittenSession;
  /** After how much a snapshot is due. */
  snapshotEvery?: SnapshotInterval;
}

/** What a session's file holds when its writer opens it. */
export interface WrittenSession {
  /** Of what is whole; what is behind it is cut away. */
  end: number;
  lacksLineEnd: boolean;
  fold: SessionFold;
  /** Of what is behind the latest snapshot. */
  tail: { start: number; crc: number };
}

/** A session without a file. */
export function nothingWritten(): WrittenSession {
  return { end: 0, lacksLineEnd: false, fold: new SessionFold(), tail: { start: 0, crc: 0 } };
}

export interface SnapshotInterval {
  bytes: number;
  /** Of what a page shows. */
  entries: number;
  /** How large the snapshot before may be, as a share of what came since. */
  maxShare: number;
}

const defaultInterval: SnapshotInterval = { bytes: 1_024 * 1_024, entries: 1_000, maxShare: 0.1 };

export type Later = (run: () => void) => { dispose(): void };

/** What grows is written at least once a second, also when the process is busy. */
const growingDelayMs = 500;

const afterHalfASecond: Later = (run) => {
  const timer = setTimeout(run, growingDelayMs);
  // It doesn't hold the process open.
  timer.unref();
  return { dispose: () => clearTimeout(timer) };
};

/** After these, what was said so far is brought to the disk itself. */
const worthSyncing: ReadonlySet<string> = new Set([
  "agent_end",
  "approval_closed",
  "pending_edits_changed",
  "transcript",
  "rewind_changed",
]);

const copiedBytes = 4 * 1_024 * 1_024;

/** Copies the beginning of an open file to a path where nothing is. */
function copyOpen(files: Files, from: number, { path, size }: { path: string; size: number }): void {
  const copy = `${path}.tmp`;
  removeQuietly(files, copy);
  const into = files.openForAppend(copy);
  try {
    for (let at = 0; at < size; ) {
      const bytes = Buffer.allocUnsafe(Math.min(copiedBytes, size - at));
      const read = files.readPart(from, bytes, at);
      if (read === 0) throw new Error("The session's file is shorter than what was written to it.");
      for (let done = 0; done < read; ) done += files.append(into, bytes.subarray(done, read));
      at += read;
    }
  } finally {
    files.close(into);
  }
  files.rename(copy, path);
}

/** A line that waits to be written. */
interface WaitingLine {
  bytes: Buffer;
  /** The messages that it holds. */
  refs: readonly MessageRef[];
  /** The header or a snapshot: a segment starts behind it. */
  isHeader: boolean;
}

/** The root agent begins to answer: none of its calls is under way. */
function isTurnStart(entry: LogEntry): boolean {
  if (!("agent" in entry) || entry.agent.agent.depth > 0) return false;
  return entry.agent.type === "turn_start" || entry.agent.type === "agent_start";
}

/** Appends to one session's file. What can't be written waits and goes ahead of the next record. */
export class SessionFileWriter implements SessionAppender {
  readonly #options: WriterOptions;
  readonly #fold: SessionFold;
  readonly #recorder: Recorder;
  readonly #interval: SnapshotInterval;
  #waiting: WaitingLine[] = [];
  /** Of what is written behind the latest snapshot. */
  #tail: { start: number; crc: number };
  #snapshotBytes = 0;
  #lock: Lock | undefined;
  #descriptor: number | undefined;
  /** Of what is written whole. */
  #size: number;
  /** What is behind is left of a write that failed. */
  #isTorn: boolean;
  #isTroubled = false;
  /** How often something was reported. */
  #troubles = 0;
  #isClosed = false;
  #syncing: Promise<void> | undefined;
  #isSyncDue = false;
  readonly #growing = new GrowingText();
  readonly #later: Later;
  #growthDue: { dispose(): void } | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    const { written, lock, id, now } = options;
    this.#later = options.later ?? afterHalfASecond;
    if (typeof lock === "object") this.#lock = lock;
    this.#size = written.end;
    this.#isTorn = written.end > 0;
    this.#fold = written.fold;
    this.#tail = { ...written.tail };
    this.#recorder = new Recorder(this.#fold);
    this.#interval = options.snapshotEvery ?? defaultInterval;
    if (written.end > 0) this.#openEarly();
    if (written.end === 0) this.#wait(formatHeader({ id, createdAt: now() }), { isHeader: true });
    else if (written.lacksLineEnd) this.#wait("\n");
  }

  /** Nothing waits to be written. */
  get isSaved(): boolean {
    return this.#waiting.length === 0;
  }

  append(entry: LogEntry): void {
    if (this.#isClosed) return;
    if (isTurnStart(entry)) this.#snapshotIfDue(1);
    if ("agent" in entry && this.#growing.add(entry.agent)) this.#growthDue ??= this.#later(() => this.#writeGrowth());
    try {
      const record = this.#recorder.recordOf(entry, this.#options.now());
      this.#fold.lastSeq = Math.max(this.#fold.lastSeq, Math.floor(entry.seq));
      if (record === undefined) return;
      this.#addRecord(record);
    } catch (error) {
      // What is no JSON can't be saved; the rest of the session can.
      this.#options.onTrouble(error);
      return;
    }
    this.#write();
    // Rather in the middle of a turn than twice the size.
    this.#snapshotIfDue(2);
    if (worthSyncing.has("agent" in entry ? entry.agent.type : entry.host.type)) this.#sync();
  }

  #addRecord(record: StoredRecord): void {
    const line = formatRecord(record);
    this.#wait(line, { refs: this.#fold.add(record, Buffer.byteLength(line)) });
  }

  #wait(line: string, { refs = [], isHeader = false }: Partial<WaitingLine> = {}): void {
    this.#waiting.push({ bytes: Buffer.from(line), refs, isHeader });
  }

  /** Once there is so many times the interval. Only of what is written: what waits has no position yet. */
  #snapshotIfDue(times: number): void {
    const { bytes, entries, maxShare } = this.#interval;
    const tailBytes = this.#size - this.#tail.start;
    const isDue = tailBytes >= times * bytes || this.#fold.shown.entries >= times * entries;
    if (!isDue || !this.isSaved || this.#snapshotBytes > maxShare * tailBytes) return;
    const line = formatSnapshot(this.#fold.takeSnapshot(this.#tail.crc, this.#tail.start));
    this.#snapshotBytes = line.length;
    this.#waiting.push({ bytes: Buffer.from(line), refs: [], isHeader: true });
    this.#write();
  }

  /** Between two entries of the log, under a number that neither of them has. */
  rename(title: string): void {
    this.append({ seq: this.#fold.lastSeq + 0.5, host: { type: "chat_titled", title } });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { files, onClose } = this.#options;
    this.#growthDue?.dispose();
    const hasGrown = this.#takeGrowth();
    // A header alone, or a line end, is not worth a file.
    if (hasGrown || this.#waiting.length > 1 || this.#isTroubled) this.#write();
    this.#sync();
    while (this.#syncing !== undefined) await this.#syncing;
    try {
      if (this.#descriptor !== undefined) files.close(this.#descriptor);
    } catch (error) {
      this.#report(error);
    }
    this.#lock?.release();
    onClose();
  }

  /** On a disk that takes nothing it waits, as text, for the next record. */
  #writeGrowth(): void {
    this.#growthDue = undefined;
    if (!this.#isClosed && !this.#isTroubled && this.#takeGrowth()) this.#write();
  }

  #takeGrowth(): boolean {
    const parts = this.#growing.take();
    // Between two entries of the log, and below a title that is set there.
    const head = { seq: this.#fold.lastSeq + 0.25, at: this.#options.now() };
    for (const growing of parts) this.#addRecord({ ...head, growing });
    return parts.length > 0;
  }

  /** Held open, the file can be written again when somebody deletes it. */
  #openEarly(): void {
    try {
      this.#descriptor = this.#options.files.openForAppend(this.#options.path);
    } catch (error) {
      // The first record tries again, and reports.
      if (!isFileSystemError(error)) throw error;
    }
  }

  #write(): void {
    const { files } = this.#options;
    let isRewritten = false;
    try {
      isRewritten = this.#rewriteIfGone();
      const descriptor = this.#open();
      this.#makeWhole(descriptor);
      const bytes = Buffer.concat(this.#waiting.map((line) => line.bytes));
      this.#isTorn = true;
      for (let written = 0; written < bytes.length; ) written += files.append(descriptor, bytes.subarray(written));
      this.#isTorn = false;
      this.#takeWritten();
      this.#isTroubled = false;
    } catch (error) {
      this.#report(error);
    }
    if (isRewritten) this.#options.onRewritten?.();
  }

  /** What waited is in the file now. */
  #takeWritten(): void {
    for (const { bytes, refs, isHeader } of this.#waiting) {
      const line = { offset: this.#size, length: bytes.length - 1 };
      for (const ref of refs) ref.line = line;
      this.#size += bytes.length;
      if (isHeader) this.#tail = { start: this.#size, crc: 0 };
      else this.#tail.crc = crc32(bytes, this.#tail.crc);
    }
    this.#waiting = [];
  }

  /** Whether the file was deleted, or another one put in its place. What was open is copied to where it belongs. */
  #rewriteIfGone(): boolean {
    const { files, path } = this.#options;
    const gone = this.#descriptor;
    if (gone === undefined || files.isAt(path, gone)) return false;
    files.makeFolder(dirname(path));
    this.#lock?.renew();
    if (this.#size > 0) {
      if (files.stat(path) !== undefined) setSessionAside(files, path, this.#options.now());
      copyOpen(files, gone, { path, size: this.#size });
    }
    this.#descriptor = undefined;
    files.close(gone);
    return this.#size > 0;
  }

  #open(): number {
    if (this.#descriptor !== undefined) return this.#descriptor;
    const { files, path, lock } = this.#options;
    files.makeFolder(dirname(path));
    if (typeof lock === "function") this.#lock ??= lock();
    this.#descriptor = files.openForAppend(path);
    return this.#descriptor;
  }

  /** What a failed write left goes. What somebody else wrote stays, and is closed off by a line end. */
  #makeWhole(descriptor: number): void {
    const { files, path } = this.#options;
    const size = files.size(descriptor);
    if (size === this.#size) return;
    if (this.#isTorn && size > this.#size) files.truncate(path, this.#size);
    else {
      this.#waiting.unshift({ bytes: Buffer.from("\n"), refs: [], isHeader: false });
      this.#size = size;
    }
  }

  #report(error: unknown): void {
    if (this.#isTroubled) return;
    this.#isTroubled = true;
    this.#troubles += 1;
    this.#options.onTrouble(error);
  }

  /** One at a time; what comes meanwhile leads to a single further one. */
  #sync(): void {
    if (this.#descriptor === undefined || this.#isTroubled) return;
    if (this.#syncing !== undefined) {
      this.#isSyncDue = true;
      return;
    }
    const before = this.#troubles;
    this.#syncing = this.#options.files
      .sync(this.#descriptor)
      .catch((error: unknown) => {
        // The same trouble that a write met meanwhile is reported once.
        if (this.#troubles === before) this.#report(error);
      })
      .finally(() => {
        this.#syncing = undefined;
        if (!this.#isSyncDue) return;
        this.#isSyncDue = false;
        this.#sync();
      });
  }
}
