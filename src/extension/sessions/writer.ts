import { dirname } from "node:path";
import type { LogEntry } from "../../protocol/messages.ts";
import type { Files } from "./files.ts";
import { KeptRecords, type Spent } from "./kept.ts";
import type { Lock } from "./lock.ts";
import { formatHeader } from "./records.ts";
import type { SessionWriter } from "./session.ts";
import { type EarlierMessages, Transcripts } from "./transcripts.ts";

export interface WriterOptions {
  id: string;
  path: string;
  files: Files;
  now(): number;
  /** Called when something can't be written, once until it can be again. */
  onTrouble(error: unknown): void;
  /** Taken with the first record of a new session. */
  lock: Lock | (() => Lock | undefined);
  /** What the file holds already. */
  written: { size: number; spent: Spent; lastSeq: number };
  earlier: EarlierMessages;
  onClose(): void;
}

/** After these, what was said so far is brought to the disk itself. */
const worthSyncing = new Set(["agent_end", "approval_closed", "pending_edits_changed", "transcript", "rewind_changed"]);

/** Appends to one session's file. What can't be written waits and goes ahead of the next record. */
export class SessionFileWriter implements SessionWriter {
  readonly #options: WriterOptions;
  readonly #records: KeptRecords;
  readonly #waiting: Buffer[] = [];
  #lock: Lock | undefined;
  #descriptor: number | undefined;
  /** Of what is written whole. */
  #size: number;
  #lastSeq: number;
  #isTorn = false;
  #isTroubled = false;
  #isClosed = false;
  #syncing: Promise<void> | undefined;
  #isSyncDue = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    const { written, earlier, lock, id, now } = options;
    this.#size = written.size;
    this.#lastSeq = written.lastSeq;
    this.#records = new KeptRecords(new Transcripts(earlier), written.spent);
    if (typeof lock !== "function") this.#lock = lock;
    if (written.size === 0) this.#waiting.push(Buffer.from(formatHeader({ id, createdAt: now() })));
  }

  append(entry: LogEntry): void {
    if (this.#isClosed) return;
    this.#lastSeq = Math.max(this.#lastSeq, entry.seq);
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

  /** Between two entries of the log, without a number that one of them will have. */
  rename(title: string): void {
    this.append({ seq: this.#lastSeq + 0.5, host: { type: "chat_titled", title } });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const isNew = this.#size === 0 && this.#waiting.length === 1;
    if (this.#waiting.length > 0 && !isNew) this.#write();
    this.#sync();
    while (this.#syncing !== undefined) await this.#syncing;
    if (this.#descriptor !== undefined) this.#options.files.close(this.#descriptor);
    this.#lock?.release();
    this.#options.onClose();
  }

  #write(): void {
    const { files } = this.#options;
    try {
      const descriptor = this.#open();
      if (this.#isTorn) files.truncate(descriptor, this.#size);
      this.#isTorn = false;
      const bytes = Buffer.concat(this.#waiting);
      for (let written = 0; written < bytes.length; ) {
        this.#isTorn = true;
        written += files.append(descriptor, bytes.subarray(written));
      }
      this.#isTorn = false;
      this.#size += bytes.length;
      this.#waiting.length = 0;
      this.#isTroubled = false;
    } catch (error) {
      if (!this.#isTroubled) this.#options.onTrouble(error);
      this.#isTroubled = true;
    }
  }

  #open(): number {
    if (this.#descriptor !== undefined) return this.#descriptor;
    const { files, path, lock } = this.#options;
    files.makeFolder(dirname(path));
    if (this.#lock === undefined && typeof lock === "function") this.#lock = lock();
    this.#descriptor = files.openForAppend(path);
    return this.#descriptor;
  }

  /** One at a time; what comes meanwhile leads to a single further one. */
  #sync(): void {
    if (this.#descriptor === undefined) return;
    if (this.#syncing !== undefined) {
      this.#isSyncDue = true;
      return;
    }
    this.#syncing = this.#options.files
      .sync(this.#descriptor)
      .catch((error: unknown) => this.#options.onTrouble(error))
      .finally(() => {
        this.#syncing = undefined;
        if (this.#isSyncDue) {
          this.#isSyncDue = false;
          this.#sync();
        }
      });
  }
}
