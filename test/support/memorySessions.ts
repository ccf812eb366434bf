import { type AgentEvent, type AgentMessage, type AgentTree, emptyTree, foldTree } from "../../src/agent/index.ts";
import { foldLog } from "../../src/extension/chat/restore/restoredChat.ts";
import type { Unfinished } from "../../src/extension/sessions/records.ts";
import type { SessionStorage, SessionSummary } from "../../src/extension/sessions/session.ts";
import type { LogEntry } from "../../src/protocol/messages.ts";

interface Session {
  entries: LogEntry[];
  createdAt: number;
  isOpen: boolean;
  isRemoved: boolean;
}

export interface MemorySessions extends SessionStorage {
  /** What was written, as it would be read back from a disk. */
  written(id: string): LogEntry[];
  /** Another window has it, or closes it. */
  occupy(id: string, isOccupied: boolean): void;
  /** From now on every call that makes a session fails. */
  fails: boolean;
}

/** Sessions that live as long as a test. A page holds the latest `pageSize` entries. */
export function memorySessions(pageSize = Number.POSITIVE_INFINITY): MemorySessions {
  const sessions = new Map<string, Session>();
  let time = 0;
  let copies = 0;
  const get = (id: string): Session => {
    const session = sessions.get(id);
    if (session === undefined) throw new Error(`There is no session ${id}.`);
    return session;
  };
  const add = (id: string, entries: LogEntry[]): Session => {
    const session = { entries, createdAt: ++time, isOpen: false, isRemoved: false };
    sessions.set(id, session);
    return session;
  };
  const writerOf = (session: Session) => {
    session.isOpen = true;
    return {
      append: (entry: LogEntry) => void session.entries.push(JSON.parse(JSON.stringify(entry))),
      close: async () => {
        session.isOpen = false;
      },
    };
  };
  const paged = (entries: readonly LogEntry[]) => {
    const start = Math.max(0, entries.length - pageSize);
    const page = entries.slice(start);
    return { page, ...(start > 0 && { earlier: { offset: start } }) };
  };
  return {
    fails: false,
    written: (id) => get(id).entries,
    readAll: (id, take) => take(get(id).entries.map((entry) => ({ entry }))),
    occupy: (id, isOccupied) => {
      get(id).isOpen = isOccupied;
    },
    list: async () =>
      [...sessions]
        .filter(([, { isRemoved }]) => !isRemoved)
        .map(([id, session]) => summaryOf(id, session))
        .sort((a, b) => b.updatedAt - a.updatedAt),
    state: () =>
      JSON.stringify([...sessions].map(([id, session]) => [id, { ...session, entries: session.entries.length }])),
    async create(id) {
      if (this.fails) throw new Error("The disk is full.");
      return writerOf(add(id, []));
    },
    async open(id) {
      const session = get(id);
      const { page, earlier } = paged(session.entries);
      return {
        summary: summaryOf(id, session),
        entries: page.filter((entry) => !isOfChild(entry)),
        stateEntries: [],
        lastSeq: session.entries.at(-1)?.seq ?? 0,
        unfinished: unfinishedIn(session.entries),
        end: session.entries.length,
        problems: [],
        ...(earlier !== undefined && { earlier }),
        ...(!session.isOpen && { writer: writerOf(session) }),
      };
    },
    async readEarlier(id, cursor) {
      const { page, earlier } = paged(get(id).entries.slice(0, cursor.offset));
      return { entries: page.filter((entry) => !isOfChild(entry)), ...(earlier !== undefined && { earlier }) };
    },
    async readNew(id, from) {
      const { entries, isOpen } = get(id);
      return { entries: entries.slice(from), end: entries.length, isLive: isOpen };
    },
    fileOf: (id) => `/sessions/${id}.jsonl`,
    readUnfinished: async (id) => unfinishedIn(get(id).entries),
    async messagesOf(id, agentId): Promise<AgentMessage[]> {
      return foldSession(get(id).entries).nodes[agentId]?.messages ?? [];
    },
    async callResultsOf(id, agentId) {
      return new Map(Object.entries(foldSession(get(id).entries).nodes[agentId]?.tools ?? {}));
    },
    async rename(id, title) {
      const { entries } = get(id);
      entries.push({ seq: (entries.at(-1)?.seq ?? 0) + 1, host: { type: "chat_titled", title } });
    },
    async remove(id) {
      get(id).isRemoved = true;
    },
    async restore(id) {
      get(id).isRemoved = false;
    },
    async fork(id, beforeSeq = Number.POSITIVE_INFINITY) {
      const copy = `${id}-copy-${++copies}`;
      add(
        copy,
        get(id).entries.filter(({ seq }) => seq < beforeSeq),
      );
      return copy;
    },
    exportJson: async (id) => JSON.stringify(get(id).entries),
    async importFrom(text) {
      const id = `imported-${++copies}`;
      add(id, JSON.parse(text));
      return id;
    },
    async deleteAll() {
      sessions.clear();
    },
  };
}

/**
 * All agents with all their messages, as a session on a disk has them: a message is in it once it has ended, and what
 * a window leaves out when it opens the session does not count in the numbers of its events.
 */
export function foldSession(entries: readonly LogEntry[]): AgentTree {
  const events = entries.flatMap((entry) => ("agent" in entry ? [{ ...entry.agent, seq: entry.seq }] : []));
  return foldTree(
    emptyTree(),
    events.filter(({ type }) => type !== "message_start" && type !== "message_update"),
  );
}

/** What a session leaves out when it is opened. */
function isOfChild(entry: LogEntry): boolean {
  return (
    "agent" in entry &&
    entry.agent.agent.depth > 0 &&
    (entry.agent.type === "message_start" ||
      entry.agent.type === "message_end" ||
      entry.agent.type === "message_update")
  );
}

function summaryOf(id: string, { entries, createdAt }: Session): SessionSummary {
  const { tree, host } = foldLog(entries);
  const root = tree.nodes[tree.roots[0] ?? ""];
  const total = root?.total;
  return {
    id,
    title: host.title ?? "New chat",
    createdAt,
    updatedAt: root?.startedAt ?? createdAt,
    messageCount: (root?.messages ?? []).filter(({ role }) => role === "user").length,
    tokens: total === undefined ? 0 : total.input + total.output,
    ...(total !== undefined && total.cost > 0 && { cost: total.cost }),
    isInterrupted: root?.status === "running",
  };
}

/** What was said of messages that have no end. */
function unfinishedIn(entries: readonly LogEntry[]): Unfinished[] {
  const open = new Map<string, AgentEvent[]>();
  for (const entry of entries) {
    if (!("agent" in entry)) continue;
    const { agent } = entry;
    if (agent.type === "message_start") open.set(agent.message.id, [agent]);
    else if (agent.type === "message_update") open.get(agent.messageId)?.push(agent);
    else if (agent.type === "message_end") open.delete(agent.message.id);
  }
  return [...open.values()].map((events) => ({ events }));
}
