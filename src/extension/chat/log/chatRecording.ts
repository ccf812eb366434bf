import type { LogEntry } from "../../../protocol/messages.ts";
import type { EventLog } from "./eventLog.ts";

/** The one place where a chat's log is kept. */
export interface ChatRecord {
  append(entry: LogEntry): void;
  close(): Promise<void>;
}

export interface ChatRecordingOptions {
  log: EventLog;
  /** Makes the place. Undefined when it can't be made. Absent: nothing is kept. */
  open?: () => Promise<ChatRecord | undefined>;
  /** The place that the log was read from, when it may be written. */
  record?: ChatRecord;
}

/** Keeps a chat's log: each entry is written before it is shown. */
export class ChatRecording {
  readonly #log: EventLog;
  readonly #open: (() => Promise<ChatRecord | undefined>) | undefined;
  #record: Promise<ChatRecord | undefined> | undefined;

  constructor({ log, open, record }: ChatRecordingOptions) {
    this.#log = log;
    this.#open = open;
    if (record === undefined) return;
    this.#record = Promise.resolve(record);
    log.recordTo((entry) => record.append(entry), log.lastSeq);
  }

  /** Whether something has to be made before anything is kept. */
  get isDue(): boolean {
    return this.#record === undefined && this.#open !== undefined;
  }

  /** What stands in the log already, like a notice, goes first. */
  async start(): Promise<void> {
    this.#record ??= this.#open?.().then((record) => {
      if (record !== undefined) this.#log.recordTo((entry) => record.append(entry), 0);
      return record;
    });
    await this.#record;
  }

  /** From this call on nothing is kept. */
  async close(): Promise<void> {
    this.#log.endRecord();
    await (await this.#record)?.close();
  }
}
