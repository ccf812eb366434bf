import type { AgentMessage } from "../vocabulary/messages.ts";

export interface SessionRow {
  /** Ascending over all agents of a session. */
  id: number;
  agentId: string;
  message: AgentMessage;
}

/** What follows a checkpoint, that summary included. */
export interface Chapter {
  rows: SessionRow[];
  /** The cursor for the chapter ahead of this one; undefined when there is none. */
  before: number | undefined;
}

/** Where the messages of a session are kept. All of its agents share one. */
export interface SessionStore {
  /** Resolves with the row's id, which is never given to another, once the message is kept. */
  append(agentId: string, message: AgentMessage): Promise<number>;
  /** In order of their ids; `from` is the first id wanted. */
  list(options?: { agentId?: string; from?: number }): Promise<SessionRow[]>;
  /** Removes this row and every later one, of all agents. */
  truncateFrom(id: number): Promise<void>;
  /** Of one agent, or without one, over the rows of all. */
  latestChapter(agentId?: string): Promise<Chapter>;
  /** The chapter that ends ahead of the row `cursor`, as `Chapter.before` gave it; undefined when there is none. */
  chapterBefore(cursor: number, agentId?: string): Promise<Chapter | undefined>;
  getMeta(): Promise<Record<string, string>>;
  /** Adds to what is there; a key that exists is replaced. */
  setMeta(meta: Record<string, string>): Promise<void>;
  /** Resolves when all that was appended is kept. */
  close(): Promise<void>;
}
