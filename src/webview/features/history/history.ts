import { type ReadonlySignal, signal } from "@preact/signals";
import { type HistoryItem, historyPage } from "../../../protocol/history.ts";
import type { HostMessage, Intent } from "../../../protocol/messages.ts";
import type { ChatModel } from "../../model/chatModel.ts";

export type HistoryList = Pick<Extract<HostMessage, { type: "history" }>, "query" | "items" | "hasMore">;

/** The chats there are, as far as they are listed, and what can be done with them. */
export interface HistoryModel {
  readonly isOpen: ReadonlySignal<boolean>;
  readonly shownChatId: ReadonlySignal<string | undefined>;
  /** Undefined until the host has answered. */
  readonly page: ReadonlySignal<HistoryList | undefined>;
  readonly query: ReadonlySignal<string>;
  /** The latest that was deleted here, as long as that can be undone. */
  readonly deleted: ReadonlySignal<HistoryItem | undefined>;
  receive(page: HistoryList): void;
  /** From now on the newest `limit` are listed, until the result is called or another subscribes. */
  subscribe(limit: number): () => void;
  search(query: string): void;
  showMore(): void;
  remove(item: HistoryItem): void;
  /** The host could not delete it. */
  cancelRemove(chatId: string): void;
  undoRemove(): void;
  open(): void;
  close(): void;
  /** Closes it for the composer. */
  leave(): void;
  openChat(chatId: string): void;
  /** A copy of the chat, or of what precedes a message of the user's. */
  fork(chatId: string | undefined, messageId?: string): void;
  announce(text: string): void;
  now(): number;
  readonly post: (intent: Intent) => void;
}

type HistoryChat = Pick<ChatModel, "post" | "chatId" | "announcer" | "timing">;

export function createHistoryModel(
  { post, chatId, announcer, timing }: HistoryChat,
  focusComposer: () => void,
): HistoryModel {
  const isOpen = signal(false);
  const page = signal<HistoryList | undefined>(undefined);
  const query = signal("");
  const deleted = signal<HistoryItem | undefined>(undefined);
  let limit = historyPage;
  let subscriber: object | undefined;

  function ask(): void {
    post({ type: "listHistory", query: query.peek(), limit });
  }

  function close(): void {
    isOpen.value = false;
    deleted.value = undefined;
  }

  function leave(): void {
    close();
    focusComposer();
  }

  return {
    isOpen,
    shownChatId: chatId,
    post,
    now: timing.now,
    announce: (text) => announcer.announce([text]),
    page,
    query,
    deleted,
    receive(next) {
      // A late answer is to another query.
      if (next.query === query.peek()) page.value = next;
    },
    subscribe(rows) {
      limit = rows;
      query.value = "";
      ask();
      const own = {};
      subscriber = own;
      return () => {
        // A part of the page may be removed only after the next is there. The history that opens subscribes as well, once
        // its script is loaded, and until then shows what is listed.
        if (subscriber !== own || isOpen.peek()) return;
        page.value = undefined;
        post({ type: "closeHistory" });
      };
    },
    search(next) {
      query.value = next;
      limit = historyPage;
      ask();
    },
    showMore() {
      limit += historyPage;
      ask();
    },
    remove(item) {
      deleted.value = item;
      const shown = page.peek();
      // Removed at once: the host's list follows.
      if (shown !== undefined) page.value = { ...shown, items: shown.items.filter(({ id }) => id !== item.id) };
      post({ type: "deleteChat", chatId: item.id });
    },
    cancelRemove(chatId) {
      if (deleted.peek()?.id === chatId) deleted.value = undefined;
    },
    undoRemove() {
      const item = deleted.peek();
      deleted.value = undefined;
      if (item !== undefined) post({ type: "restoreChat", chatId: item.id });
    },
    open() {
      isOpen.value = true;
    },
    close,
    leave,
    openChat(id) {
      leave();
      post({ type: "openChat", chatId: id });
    },
    fork(id, messageId) {
      if (isOpen.peek()) leave();
      post({
        type: "forkChat",
        ...(id === undefined ? {} : { chatId: id }),
        ...(messageId === undefined ? {} : { messageId }),
      });
    },
  };
}
