import type { AgentMessage, ToolActivity } from "../../agent/types.ts";
import type { LogEntry, TimedEntry } from "../../protocol/messages.ts";
import { UserError } from "../common/userError.ts";
import type { Unfinished } from "./records.ts";

/** A session that does not exist any more; it may have been removed in another window. */
export class SessionGone extends UserError {}

/** What the history shows of a session. */
export interface SessionSummary {
  id: string;
  title: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  updatedAt: number;
  /** Messages of the user's. */
  messageCount: number;
  /** Tokens of the whole tree. */
  tokens: number;
  /** USD of the whole tree; absent when no price was known. */
  cost?: number;
  /** The last run has no end: the editor was closed or died in it. */
  isInterrupted: boolean;
  /** Something of it waits for the user, also while it is not open. */
  isWaiting?: true;
  /** Another window is at work in it. */
  isRunning?: boolean;
  /** Nothing of its file can be read: it can be looked at and removed, and nothing else. */
  isDamaged?: true;
}

/** A session as it is read back. */
export interface StoredSession {
  summary: SessionSummary;
  /**
   * The log, oldest first, without the messages of sub-agents (`messagesOf` brings those) and without what lies before
   * `earlier`.
   */
  entries: LogEntry[];
  lastSeq: number;
  /** There is more ahead of `entries`; ask `readEarlier`. */
  earlier?: SessionCursor;
  /**
   * With `earlier`: the entries ahead of it that the state still builds on, such as the title, the plan, open approvals
   * and what was spent. To be folded first; `readEarlier` returns them again, in their order.
   */
  stateEntries?: LogEntry[];
  /** Absent when another window writes to the session: it can be read and forked. */
  writer?: SessionAppender;
  /** Answers and output that have no end in the file, as far as they were saved. */
  unfinished?: Unfinished[];
  /** Where `entries` end in the file, in bytes; ask `readNew` for what comes behind it. */
  end: number;
  /** What was wrong with the file and what became of it, as sentences for the user. */
  problems: string[];
}

/** A position in a session's file, in bytes. */
export interface SessionCursor {
  offset: number;
}

/** What was written to a session since a position in its file. */
export interface NewEntries {
  /**
   * Also the words of answers that have no end yet. A `transcript` among them has not all of its messages: the file has
   * the others further ahead.
   */
  entries: LogEntry[];
  /** The position to go on from, in bytes. */
  end: number;
  /** Another process writes to the session. */
  isLive: boolean;
}

/** The one writer of a session. */
export interface SessionAppender {
  /**
   * The record is with the operating system when this returns, so that it may be shown. Never throws: what can't be
   * written is tried again with the next record, and `onTrouble` is called.
   */
  append(entry: LogEntry): void;
  /** Brings everything to the disk and releases the session. */
  close(): Promise<void>;
}

/** What is not deleted. */
export interface Retention {
  /** Sessions that were not written to for longer are deleted. */
  maxAgeMs: number;
  /** Of all sessions together; the oldest go first. */
  maxBytes: number;
  now: number;
}

/** What calls gave, by call id. */
export type CallResults = ReadonlyMap<string, Pick<ToolActivity, "status" | "result">>;

/** The sessions of a workspace. */
export interface SessionStorage {
  /** Newest first, those that can't be read among them. */
  list(): Promise<SessionSummary[]>;
  /** Another text whenever what `list` gives may have changed, also by another window. */
  state(): string;
  /** A new session under this id; its file is made with the first record. */
  create(id: string): Promise<SessionAppender>;
  /** The latest page of a session, and where it goes on. Throws a `UserError` when nothing of it can be read. */
  open(id: string): Promise<StoredSession>;
  /** The page ahead of the cursor. */
  readEarlier(id: string, cursor: SessionCursor): Promise<{ entries: LogEntry[]; earlier?: SessionCursor }>;
  /** What was written behind a position in the session's file. */
  readNew(id: string, from: number): Promise<NewEntries>;
  /** Answers and output that have no end in the session's file. */
  readUnfinished(id: string): Promise<Unfinished[]>;
  /** An agent's finished messages, also when `open` left them out; as they were before the entry `beforeSeq`. */
  messagesOf(id: string, agentId: string, beforeSeq?: number): Promise<AgentMessage[]>;
  /** What an agent's calls gave, also those whose results are not in its transcript yet. */
  callResultsOf(id: string, agentId: string): Promise<CallResults>;
  /**
   * Calls `take` with all of the log from its beginning, in pieces: also with the messages of sub-agents and with what was
   * rewound, each entry as it was when it was written.
   */
  readAll(id: string, take: (entries: readonly TimedEntry[]) => Promise<void>): Promise<void>;
  /** The path of the session's file. */
  fileOf(id: string): string;
  /** Throws a `UserError` while another window writes to it. */
  rename(id: string, title: string): Promise<void>;
  /** Out of the list; `restore` undoes it until the retention ends. */
  remove(id: string): Promise<void>;
  /** Undoes the latest removal. */
  restore(id: string): Promise<void>;
  /** A copy up to and without the entry `beforeSeq`; all of it without one. Returns the copy's id. */
  fork(id: string, beforeSeq?: number): Promise<string>;
  /** The whole file as text that `importFrom` reads, in another workspace or version too. */
  exportJson(id: string): Promise<string>;
  /** Adds it as a session of its own. Returns its id. */
  importFrom(text: string): Promise<string>;
  /** Deletes what is over the retention, and what was removed 30 days ago. Returns how many sessions were deleted. */
  prune?(retention: Retention): Promise<number>;
  /** All but what another window writes, which it throws a `UserError` about at the end. */
  deleteAll(): Promise<void>;
}
