import { crc32 } from "node:zlib";
import type { LogEntry } from "../../protocol/messages.ts";
import { LineFile, type LineFileOptions } from "./lineFile.ts";
import { GrowingText, Recorder } from "./recorder.ts";
import { formatHeader, formatRecord, formatSnapshot, type StoredRecord } from "./records.ts";
import type { SessionAppender } from "./session.ts";
import type { Tail } from "./sessionFile.ts";
import { SessionFold } from "./sessionFold.ts";
import type { MessageRef } from "./transcriptHistory.ts";

export interface WriterOptions extends LineFileOptions {
  id: string;
  onClose(): void;
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
  tail: Tail;
}

/** A session without a file. */
export function nothingWritten(): WrittenSession {
  return { end: 0, lacksLineEnd: false, fold: new SessionFold(), tail: { start: 0, crc: 0, isDamaged: false } };
}

export interface SnapshotInterval {
  bytes: number;
  /** Of what a page shows. */
  entries: number;
  /** How large the snapshot before may be, as a share of what came since. */
  maxShare: number;
}

/** No bytes have it: they are always read one by one. */
const noChecksum = -1;
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

/** The root agent begins to answer: none of its calls is under way. */
function isTurnStart(entry: LogEntry): boolean {
  if (!("agent" in entry) || entry.agent.agent.depth > 0) return false;
  return entry.agent.type === "turn_start" || entry.agent.type === "agent_start";
}

/** Writes one session's file: its records, what is being streamed, and a snapshot now and then. */
export class SessionFileWriter implements SessionAppender {
  readonly #options: WriterOptions;
  readonly #file: LineFile;
  readonly #fold: SessionFold;
  readonly #recorder: Recorder;
  readonly #interval: SnapshotInterval;
  #tail: Tail;
  #snapshotBytes = 0;
  #isClosed = false;
  readonly #growing = new GrowingText();
  readonly #later: Later;
  #streamedDue: { dispose(): void } | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    const { written, id, now } = options;
    this.#later = options.later ?? afterHalfASecond;
    this.#file = new LineFile(options, written.end);
    this.#fold = written.fold;
    this.#tail = { ...written.tail };
    this.#recorder = new Recorder(this.#fold);
    this.#interval = options.snapshotEvery ?? defaultInterval;
    if (written.end === 0) this.#startSegment(formatHeader({ id, createdAt: now() }));
    else if (written.lacksLineEnd) this.#addLine("\n", []);
  }

  /** Nothing waits to be written. */
  get isSaved(): boolean {
    return this.#file.waiting === 0;
  }

  append(entry: LogEntry): void {
    if (this.#isClosed) return;
    if (isTurnStart(entry)) this.#snapshotIfDue(1);
    if ("agent" in entry && this.#growing.add(entry.agent))
      this.#streamedDue ??= this.#later(() => this.#writeStreamed());
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
    this.#file.write();
    // Rather in the middle of a turn than twice the size.
    this.#snapshotIfDue(2);
    if (worthSyncing.has("agent" in entry ? entry.agent.type : entry.host.type)) this.#file.sync();
  }

  #addRecord(record: StoredRecord): void {
    const line = formatRecord(record);
    this.#addLine(line, this.#fold.add(record, Buffer.byteLength(line)));
  }

  /** Adds a line that holds these messages. */
  #addLine(text: string, refs: readonly MessageRef[]): void {
    this.#file.add(text, (offset, bytes) => {
      const line = { offset, length: bytes.length - 1 };
      for (const ref of refs) ref.line = line;
      this.#tail.crc = crc32(bytes, this.#tail.crc);
    });
  }

  /** Adds the header or a snapshot. */
  #startSegment(line: string): void {
    this.#file.add(line, (offset, bytes) => {
      this.#tail = { start: offset + bytes.length, crc: 0, isDamaged: false };
    });
  }

  /** Once there is so many times the interval. Only of what is written: what waits has no position yet. */
  #snapshotIfDue(times: number): void {
    const { bytes, entries, maxShare } = this.#interval;
    const tailBytes = this.#file.size - this.#tail.start;
    const isDue = tailBytes >= times * bytes || this.#fold.shown.entries >= times * entries;
    if (!isDue || !this.isSaved || this.#snapshotBytes > maxShare * tailBytes) return;
    const { start, crc, isDamaged } = this.#tail;
    const line = formatSnapshot(this.#fold.takeSnapshot(isDamaged ? noChecksum : crc, start));
    this.#snapshotBytes = line.length;
    this.#startSegment(line);
    this.#file.write();
  }

  /** Between two entries of the log, under a number that neither of them has. */
  rename(title: string): void {
    this.append({ seq: this.#fold.lastSeq + 0.5, host: { type: "chat_titled", title } });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#streamedDue?.dispose();
    const hasStreamed = this.#takeStreamed();
    // A header alone, or a line end, is not worth a file.
    if (hasStreamed || this.#file.waiting > 1 || this.#file.isTroubled) this.#file.write();
    await this.#file.close();
    this.#options.onClose();
  }

  /** On a disk that takes nothing it waits, as text, for the next record. */
  #writeStreamed(): void {
    this.#streamedDue = undefined;
    if (!this.#isClosed && !this.#file.isTroubled && this.#takeStreamed()) this.#file.write();
  }

  #takeStreamed(): boolean {
    const parts = this.#growing.take();
    // Between two entries of the log, and below a title that is set there.
    const head = { seq: this.#fold.lastSeq + 0.25, at: this.#options.now() };
    for (const growing of parts) this.#addRecord({ ...head, growing });
    return parts.length > 0;
  }
}
