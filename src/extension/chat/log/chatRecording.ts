import type { AgentMessage } from "../../../agent/index.ts";
import type { Draft } from "../../../protocol/attachments.ts";
import type { LogEntry } from "../../../protocol/messages.ts";
import type { CallResults, SessionCursor, SessionStorage } from "../../sessions/session.ts";
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

  /** What is in the log already, like a notice, goes first. */
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

export interface ChatPastOptions {
  id: string;
  log: EventLog;
  storage: Pick<SessionStorage, "messagesOf" | "callResultsOf" | "readEarlier">;
  /** Where the part of the log begins that was read. Absent: all of it was. */
  cursor?: SessionCursor;
}

/** What a chat's session holds that is not in memory: messages of agents that ended, and the log's older part. */
export class ChatPast {
  readonly #options: ChatPastOptions;
  readonly #listeners = new Set<(entries: readonly LogEntry[]) => void>();
  #cursor: SessionCursor | undefined;
  #reading: Promise<void> | undefined;

  constructor(options: ChatPastOptions) {
    this.#options = options;
    this.#cursor = options.cursor;
  }

  get hasEarlier(): boolean {
    return this.#cursor !== undefined;
  }

  callResultsOf(agentId: string): Promise<CallResults> {
    return this.#options.storage.callResultsOf(this.#options.id, agentId);
  }

  messagesOf(agentId: string): Promise<AgentMessage[]> {
    return this.#options.storage.messagesOf(this.#options.id, agentId);
  }

  /** Called with what was put in front of the log. */
  onEarlier(listener: (entries: readonly LogEntry[]) => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** Brings one page more of the log. Asked again while it is read, it is read once. */
  showEarlier(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    if (this.#cursor === undefined) return;
    const { id, log, storage } = this.#options;
    const page = await storage.readEarlier(id, this.#cursor);
    this.#cursor = page.earlier;
    log.prepend(page.entries);
    for (const listener of this.#listeners) listener(page.entries);
  }
}

/** An agent's messages so far, with the number of the last agent event they contain. */
export interface AgentTranscript {
  messages: readonly AgentMessage[];
  upToSeq: number;
}

/** The chat as a channel mirrors it. */
export interface MirroredChat {
  readonly id: string;
  readonly log: EventLog;
  readonly draft: Draft;
  transcriptOf(agentId: string): AgentTranscript | undefined;
  /** What is not in memory; absent when all of it is. */
  readonly past?: ChatPast | undefined;
}
