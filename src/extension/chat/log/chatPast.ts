import type { AgentMessage } from "../../../agent/index.ts";
import type { LogEntry } from "../../../protocol/messages.ts";
import type { SessionCursor, SessionStorage } from "../../sessions/session.ts";
import type { EventLog } from "./eventLog.ts";

export interface ChatPastOptions {
  id: string;
  log: EventLog;
  storage: Pick<SessionStorage, "messagesOf" | "readEarlier">;
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

  messagesOf(agentId: string): Promise<AgentMessage[]> {
    return this.#options.storage.messagesOf(this.#options.id, agentId);
  }

  /** Told what was put in front of the log. */
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
