import type { AgentMessage } from "../vocabulary/messages.ts";
import type { Chapter, SessionRow, SessionStore } from "./store.ts";

/** The rows of a session in memory: what both stores ask of them. */
export interface SessionRows {
  rows: SessionRow[];
  lastId: number;
}

/** Ids are never given twice, not even after a truncation: a cursor somebody still holds must not name another row. */
function nextRow(state: SessionRows, row: Omit<SessionRow, "id">): SessionRow {
  state.lastId += 1;
  const added = { id: state.lastId, ...row };
  state.rows.push(added);
  return added;
}

export function selectRows(
  rows: readonly SessionRow[],
  { agentId, from = 0 }: { agentId?: string; from?: number } = {},
): SessionRow[] {
  return rows.filter((row) => row.id >= from && (agentId === undefined || row.agentId === agentId));
}

/** What follows the last summary; without an agent, over the rows of all of them. */
export function latestChapter(rows: readonly SessionRow[], agentId?: string): Chapter {
  return chapterUpTo(rows, Number.POSITIVE_INFINITY, agentId);
}

/** The chapter that ends before the row `cursor`; undefined when nothing is there. */
export function chapterBefore(rows: readonly SessionRow[], cursor: number, agentId?: string): Chapter | undefined {
  const chapter = chapterUpTo(rows, cursor, agentId);
  return chapter.rows.length === 0 ? undefined : chapter;
}

/** The chapter that ends before `end` and starts at the last summary ahead of it. */
function chapterUpTo(rows: readonly SessionRow[], end: number, agentId: string | undefined): Chapter {
  const ahead = selectRows(rows, agentId === undefined ? {} : { agentId }).filter((row) => row.id < end);
  const start = Math.max(
    0,
    ahead.findLastIndex((row) => row.message.role === "summary"),
  );
  return { rows: ahead.slice(start), before: start > 0 ? ahead[start]?.id : undefined };
}

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
