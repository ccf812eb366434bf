import type { PendingEdits } from "../../../protocol/hostEvents.ts";
import { pendingEdits } from "../../changes/outcome.ts";
import type { RegisteredReview } from "../../changes/registerReview.ts";
import type { Chat } from "../../chat/chat.ts";
import type { ChatCommands } from "../../chat/processes/chatCommands.ts";

export interface RunningCommandsBoardOptions {
  commands: Pick<ChatCommands, "runningFor" | "onDidChange">;
  /** All that are open. */
  chats(): readonly Chat[];
  isShown(chat: Chat): boolean;
}

/**
 * Emits to chats which commands run in the background of this window: those on show all of them, so that none runs unseen,
 * and each chat its own.
 */
export class RunningCommandsBoard {
  readonly #options: RunningCommandsBoardOptions;
  readonly #subscription: { dispose(): void };
  /** The list that each chat has, as JSON. */
  readonly #last = new WeakMap<Chat, string>();

  constructor(options: RunningCommandsBoardOptions) {
    this.#options = options;
    this.#subscription = options.commands.onDidChange(() => this.update());
  }

  /** Also to be called when a panel comes to show another chat. */
  update(): void {
    const { commands, chats, isShown } = this.#options;
    for (const chat of chats()) {
      // What runs in the window that writes to it is emitted there.
      if (chat.isReadOnly) continue;
      const all = commands.runningFor(chat);
      const list = isShown(chat) ? all : all.filter(({ chatTitle }) => chatTitle === undefined);
      const now = JSON.stringify(list);
      if (now === (this.#last.get(chat) ?? "[]")) continue;
      this.#last.set(chat, now);
      chat.emit({ type: "commands_changed", commands: list });
    }
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}

/** Emits to the chats on show which written edits wait for Keep or Undo: they belong to the workspace, not to one chat. */
export class PendingEditsBoard {
  readonly #store: RegisteredReview["store"];
  readonly #shownChats: () => readonly Chat[];
  readonly #subscription: { dispose(): void };
  /** What each chat has, as JSON. */
  readonly #last = new WeakMap<Chat, string>();

  constructor(store: RegisteredReview["store"], shownChats: () => readonly Chat[]) {
    this.#store = store;
    this.#shownChats = shownChats;
    this.#subscription = store.onDidChange(() => this.update());
  }

  update(): void {
    const files: PendingEdits[] = pendingEdits(this.#store.files);
    const latest = this.#store.undone.at(-1);
    const undone = latest && { files: latest.length, hunks: latest.flatMap((file) => file.undone).length };
    const now = files.length === 0 && undone === undefined ? "[]" : JSON.stringify([files, undone]);
    for (const chat of this.#shownChats()) {
      if (now === (this.#last.get(chat) ?? "[]")) continue;
      this.#last.set(chat, now);
      chat.emit({ type: "pending_edits_changed", files, ...(undone !== undefined && { undone }) });
    }
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}
