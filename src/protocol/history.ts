import type { LogEntry } from "./messages.ts";

/**
 * `running` and `waiting` are of chats that are open; `interrupted` ones can be resumed; of `damaged` ones nothing can be
 * read.
 */
const chatStates = ["idle", "running", "waiting", "interrupted", "damaged"] as const;
export type ChatStateName = (typeof chatStates)[number];

/** A chat as the history lists it. */
export interface HistoryItem {
  id: string;
  title: string;
  /** Milliseconds since 1970. */
  updatedAt: number;
  /** Of the whole tree. */
  tokens: number;
  /** USD of the whole tree; absent when no price was known. */
  cost?: number;
  state: ChatStateName;
}

/** Host to panel, beside the chat on show. */
export type HistoryMessage =
  /** The answer to `listHistory`; sent again when what it lists changes, until `closeHistory`. */
  /** A chat could not be deleted: it is listed again. */
  | { type: "chatKept"; chatId: string }
  | { type: "history"; query: string; items: HistoryItem[]; hasMore: boolean }
  /** What lies before the chat's log as far as it was sent, oldest first. */
  | { type: "earlier"; chatId: string; entries: LogEntry[]; hasEarlier: boolean };

/** Rows that are asked for at first, and at each "Show more". */
export const historyPage = 50;
