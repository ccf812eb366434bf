import { t } from "@vscode/l10n";
import type { ChatStateName, HistoryItem } from "../../../protocol/history.ts";
import type { HostMessage } from "../../../protocol/messages.ts";
import type { Chat } from "../../chat/chat.ts";
import { coalescedRuns } from "../../common/coalescedRuns.ts";
import type { SessionSummary } from "../../sessions/session.ts";

/** A panel that may list the chats. */
export interface HistoryPanel {
  send(message: HostMessage): void;
}

interface Watch {
  query: string;
  limit: number;
}

/** How changes by other windows are seen. */
export interface OtherWindows {
  /** Another text whenever the list may have changed. */
  state(): string;
  /** Calls again and again, until it is disposed; seldom where looking takes long. */
  repeatedly(look: () => void): { dispose(): void };
}

/**
 * Sends panels what the history lists: when they ask, and again when it changes as long as they show it. Changes come
 * often and together, so that a refresh asked for while one is under way leads to a single further one.
 */
export class HistoryBoard {
  readonly #list: (query: string, limit: number) => Promise<HistoryPage>;
  readonly #onFailure: (error: unknown) => void;
  readonly #watching = new Map<HistoryPanel, Watch>();
  readonly #others: OtherWindows | undefined;
  readonly #sendAll = coalescedRuns(() => this.#sendToAll().catch(this.#onFailure));
  #isSending = false;
  #looking: { dispose(): void } | undefined;
  #seen = "";

  constructor(
    list: (query: string, limit: number) => Promise<HistoryPage>,
    onFailure: (error: unknown) => void,
    others?: OtherWindows,
  ) {
    this.#list = list;
    this.#onFailure = onFailure;
    this.#others = others;
  }

  async watch(panel: HistoryPanel, query: string, limit: number): Promise<void> {
    const watch = { query, limit };
    this.#watching.set(panel, watch);
    if (this.#looking === undefined && this.#others !== undefined) {
      this.#seen = this.#others.state();
      this.#looking = this.#others.repeatedly(() => this.#look());
    }
    await this.#send(panel, watch);
  }

  unwatch(panel: HistoryPanel): void {
    this.#watching.delete(panel);
    if (this.#watching.size > 0) return;
    this.#looking?.dispose();
    this.#looking = undefined;
  }

  /** While the list is being made it is not asked for again: a long session that grows is read each time. */
  #look(): void {
    const state = this.#others?.state() ?? "";
    if (state === this.#seen || this.#isSending) return;
    this.#seen = state;
    this.refresh();
  }

  refresh(): void {
    if (this.#watching.size > 0) void this.#sendAll();
  }

  async #sendToAll(): Promise<void> {
    this.#isSending = true;
    try {
      for (const [panel, watch] of this.#watching) await this.#send(panel, watch);
    } finally {
      this.#isSending = false;
    }
  }

  async #send(panel: HistoryPanel, watch: Watch): Promise<void> {
    const { items, hasMore } = await this.#list(watch.query, watch.limit);
    // Meanwhile it may have asked for something else.
    if (this.#watching.get(panel) === watch) panel.send({ type: "history", query: watch.query, items, hasMore });
  }
}

export interface HistoryPage {
  items: HistoryItem[];
  hasMore: boolean;
}

export interface HistoryOptions {
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
export function listChats({ summaries, find, withWords, query, limit }: HistoryOptions): HistoryPage {
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
