import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { type HistoryItem, historyPage } from "../../../protocol/history.ts";
import type { HostMessage, Intent } from "../../../protocol/messages.ts";

export type HistoryPage = Pick<Extract<HostMessage, { type: "history" }>, "query" | "items" | "hasMore">;

/** The chats there are, as far as they are listed, and what can be done with them. */
export interface History {
  readonly isOpen: Signal<boolean>;
  /** Undefined until the host has answered. */
  readonly page: ReadonlySignal<HistoryPage | undefined>;
  readonly query: ReadonlySignal<string>;
  /** The latest that was deleted here, as long as that can be undone. */
  readonly deleted: ReadonlySignal<HistoryItem | undefined>;
  receive(page: HistoryPage): void;
  /** From now on the newest `limit` are listed, until the result is called or somebody else follows. */
  follow(limit: number): () => void;
  search(query: string): void;
  showMore(): void;
  remove(item: HistoryItem): void;
  /** The host could not delete it. */
  keep(chatId: string): void;
  undoRemove(): void;
  close(): void;
}

export function createHistory(post: (intent: Intent) => void): History {
  const isOpen = signal(false);
  const page = signal<HistoryPage | undefined>(undefined);
  const query = signal("");
  const deleted = signal<HistoryItem | undefined>(undefined);
  let limit = historyPage;
  let follower: object | undefined;

  function ask(): void {
    post({ type: "listHistory", query: query.peek(), limit });
  }

  return {
    isOpen,
    page,
    query,
    deleted,
    receive(next) {
      // An answer that comes late is of something that is not asked any more.
      if (next.query === query.peek()) page.value = next;
    },
    follow(rows) {
      limit = rows;
      query.value = "";
      ask();
      const own = {};
      follower = own;
      return () => {
        // One part of the page may go only after the next has come.
        if (follower !== own) return;
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
      // Gone at once: the host's list follows.
      if (shown !== undefined) page.value = { ...shown, items: shown.items.filter(({ id }) => id !== item.id) };
      post({ type: "deleteChat", chatId: item.id });
    },
    keep(chatId) {
      if (deleted.peek()?.id === chatId) deleted.value = undefined;
    },
    undoRemove() {
      const item = deleted.peek();
      deleted.value = undefined;
      if (item !== undefined) post({ type: "restoreChat", chatId: item.id });
    },
    close() {
      isOpen.value = false;
      deleted.value = undefined;
    },
  };
}
