import { t } from "@vscode/l10n";
import type { ChatStateName, HistoryItem } from "../../../protocol/history.ts";
import type { Chat } from "../../chat/chat.ts";
import type { SessionSummary } from "../../sessions/session.ts";

export interface HistoryPage {
  items: HistoryItem[];
  hasMore: boolean;
}

export interface ListOptions {
  /** Newest first. */
  summaries: readonly SessionSummary[];
  /** The open chat with that id. */
  find(id: string): Chat | undefined;
  /** Ids of sessions in which the user wrote the words, besides those whose title has them. */
  withWords: ReadonlySet<string>;
  query: string;
  limit: number;
}

/** The chats whose title or words match, newest first. */
export function listChats({ summaries, find, withWords, query, limit }: ListOptions): HistoryPage {
  const wanted = query.trim().toLowerCase();
  const matching = summaries.filter(
    ({ id, title }) => wanted === "" || title.toLowerCase().includes(wanted) || withWords.has(id),
  );
  const items = matching.slice(0, limit).map((summary) => itemOf(summary, find(summary.id)));
  return { items, hasMore: matching.length > limit };
}

function itemOf(summary: SessionSummary, chat?: Chat): HistoryItem {
  const { id, title, updatedAt, tokens, cost, isDamaged } = summary;
  if (isDamaged) return { id, title: t("Damaged chat"), updatedAt, tokens, state: "damaged" };
  return {
    id,
    title: chat?.hasMessages === true ? chat.title : title,
    updatedAt,
    tokens,
    ...(cost !== undefined && { cost }),
    state: stateOf(chat, summary),
  };
}

function stateOf(chat: Chat | undefined, { isInterrupted, isRunning }: SessionSummary): ChatStateName {
  if (isRunning === true && (chat === undefined || chat.isReadOnly)) return "running";
  if (chat === undefined) return isInterrupted ? "interrupted" : "idle";
  if (chat.openApprovalCount + chat.openQuestionCount > 0) return "waiting";
  if (chat.isRunning) return "running";
  return chat.isInterrupted ? "interrupted" : "idle";
}
