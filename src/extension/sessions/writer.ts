import { dirname } from "node:path";
import type { LogEntry } from "../../protocol/messages.ts";
import { removeQuietly } from "../common/atomicFile.ts";
import { type Files, isFileSystemError } from "../common/files.ts";
import type { Lock } from "../common/lock.ts";
import { GrowingText } from "./growing.ts";
import { formatHeader } from "./records.ts";
import { setSessionAside } from "./removed.ts";
import type { SessionAppender } from "./session.ts";
import { KeptRecords, Transcripts, type WrittenBytes } from "./transcripts.ts";

export interface WriterOptions {
  id: string;
  path: string;
  files: Files;
  now(): number;
  /** Told of what can't be written, once until it can be again. */
  onTrouble(error: unknown): void;
  onClose(): void;
  /** Called when the session's file was gone and is written again. */
  onRewritten?(): void;
  /** Of a new session it is taken with the first record. Absent where none could be had. */
  lock?: Lock | (() => Lock);
  /** Runs it a little later, once. Default: half a second. */
  later?: Later;
  written: WrittenBytes;
}

export type Later = (run: () => void) => { dispose(): void };

/** What grows is written at least once a second, also when the process is busy. */
const growingDelayMs = 500;

const afterHalfASecond: Later = (run) => {
  const timer = setTimeout(run, growingDelayMs);
  // It keeps nothing alive.
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

/** Appends to one session's file. What can't be written waits and goes ahead of the next record. */
export class SessionFileWriter implements SessionAppender {
  readonly #options: WriterOptions;
  readonly #records: KeptRecords;
  #waiting: Buffer[] = [];
  #lock: Lock | undefined;
  #descriptor: number | undefined;
  /** Of what is written whole. */
  #size: number;
  #lastSeq: number;
  /** What is behind is left of a write that failed. */
  #isTorn: boolean;
  #isTroubled = false;
  /** How often something was told of. */
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
    this.#size = written.size;
    this.#isTorn = written.size > 0;
    this.#lastSeq = written.lastSeq;
    this.#records = new KeptRecords(new Transcripts(written.earlier), written.spent);
    if (written.size > 0) this.#openEarly();
    if (written.size === 0) this.#waiting.push(Buffer.from(formatHeader({ id, createdAt: now() })));
    else if (written.lacksLineEnd) this.#waiting.push(Buffer.from("\n"));
  }

  /** Nothing waits to be written. */
  get isSaved(): boolean {
    return this.#waiting.length === 0;
  }

  append(entry: LogEntry): void {
    if (this.#isClosed) return;
    this.#lastSeq = Math.max(this.#lastSeq, entry.seq);
    if ("agent" in entry && this.#growing.add(entry.agent)) this.#growthDue ??= this.#later(() => this.#writeGrowth());
    try {
      const record = this.#records.recordOf(entry, this.#options.now());
      if (record === undefined) return;
      this.#waiting.push(Buffer.from(record));
    } catch (error) {
      // What is no JSON can't be kept; the rest of the session can.
      this.#options.onTrouble(error);
      return;
    }
    this.#write();
    if (worthSyncing.has("agent" in entry ? entry.agent.type : entry.host.type)) this.#sync();
  }

  /** Between two entries of the log, under a number that neither of them has. */
  rename(title: string): void {
    this.append({ seq: this.#lastSeq + 0.5, host: { type: "chat_titled", title } });
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
      this.#tell(error);
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
    // Between two entries of the log, and below a title that is set there.
    const records = this.#growing.take(this.#lastSeq + 0.25, this.#options.now());
    for (const record of records) this.#waiting.push(Buffer.from(record));
    return records.length > 0;
  }

  /** Held open, the file can be written again when somebody deletes it. */
  #openEarly(): void {
    try {
      this.#descriptor = this.#options.files.openForAppend(this.#options.path);
    } catch (error) {
      // The first record tries again, and tells.
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
      const bytes = Buffer.concat(this.#waiting);
      this.#isTorn = true;
      for (let written = 0; written < bytes.length; ) written += files.append(descriptor, bytes.subarray(written));
      this.#isTorn = false;
      this.#size += bytes.length;
      this.#waiting = [];
      this.#isTroubled = false;
    } catch (error) {
      this.#tell(error);
    }
    if (isRewritten) this.#options.onRewritten?.();
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
      this.#waiting.unshift(Buffer.from("\n"));
      this.#size = size;
    }
  }

  #tell(error: unknown): void {
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
        // The same trouble that a write met meanwhile is told once.
        if (this.#troubles === before) this.#tell(error);
      })
      .finally(() => {
        this.#syncing = undefined;
        if (!this.#isSyncDue) return;
        this.#isSyncDue = false;
        this.#sync();
      });
  }
}
