import type { AgentMessage } from "../vocabulary/messages.ts";
import { chapterBefore, latestChapter, nextRow, type SessionRows, selectRows } from "./rows.ts";
import type { Chapter, SessionRow, SessionStore } from "./store.ts";

/** A session that lives as long as the process. */
export class MemorySessionStore implements SessionStore {
  readonly #state: SessionRows = { rows: [], lastId: 0 };
  #meta: Record<string, string> = {};

  async append(agentId: string, message: AgentMessage): Promise<number> {
    return nextRow(this.#state, { agentId, message }).id;
  }

  async list(options?: { agentId?: string; from?: number }): Promise<SessionRow[]> {
    return selectRows(this.#state.rows, options);
  }

  async truncateFrom(id: number): Promise<void> {
    this.#state.rows = this.#state.rows.filter((row) => row.id < id);
  }

  async latestChapter(agentId?: string): Promise<Chapter> {
    return latestChapter(this.#state.rows, agentId);
  }

  async chapterBefore(cursor: number, agentId?: string): Promise<Chapter | undefined> {
    return chapterBefore(this.#state.rows, cursor, agentId);
  }

  async getMeta(): Promise<Record<string, string>> {
    return { ...this.#meta };
  }

  async setMeta(meta: Record<string, string>): Promise<void> {
    this.#meta = { ...this.#meta, ...meta };
  }

  async close(): Promise<void> {}
}
