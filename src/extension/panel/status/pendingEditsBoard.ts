import type { PendingEdits } from "../../../protocol/hostEvents.ts";
import { pendingEdits } from "../../changes/panelView.ts";
import type { RegisteredReview } from "../../changes/registerReview.ts";
import type { Chat } from "../../chat/chat.ts";

/** Tells the chats on show which written edits wait for Keep or Undo: they belong to the workspace, not to one chat. */
export class PendingEditsBoard {
  readonly #store: RegisteredReview["store"];
  readonly #shownChats: () => readonly Chat[];
  readonly #subscription: { dispose(): void };
  /** What each chat has heard last. */
  readonly #told = new WeakMap<Chat, string>();

  constructor(store: RegisteredReview["store"], shownChats: () => readonly Chat[]) {
    this.#store = store;
    this.#shownChats = shownChats;
    this.#subscription = store.onDidChange(() => this.tell());
  }

  tell(): void {
    const files: PendingEdits[] = pendingEdits(this.#store.files);
    const latest = this.#store.undone.at(-1);
    const undone = latest && { files: latest.length, hunks: latest.flatMap((file) => file.undone).length };
    const now = files.length === 0 && undone === undefined ? "[]" : JSON.stringify([files, undone]);
    for (const chat of this.#shownChats()) {
      if (now === (this.#told.get(chat) ?? "[]")) continue;
      this.#told.set(chat, now);
      chat.emit({ type: "pending_edits_changed", files, ...(undone !== undefined && { undone }) });
    }
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}
