import type { Chat } from "../../chat/chat.ts";
import type { ChatCommands } from "../../chat/processes/chatCommands.ts";

export interface RunningCommandsBoardOptions {
  commands: Pick<ChatCommands, "runningFor" | "onDidChange">;
  /** All that are open. */
  chats(): readonly Chat[];
  isShown(chat: Chat): boolean;
}

/**
 * Tells chats which commands run in the background of this window: those on show all of them, so that none runs unseen,
 * and each chat its own.
 */
export class RunningCommandsBoard {
  readonly #options: RunningCommandsBoardOptions;
  readonly #subscription: { dispose(): void };
  /** The list that each chat was last told. */
  readonly #last = new WeakMap<Chat, string>();

  constructor(options: RunningCommandsBoardOptions) {
    this.#options = options;
    this.#subscription = options.commands.onDidChange(() => this.update());
  }

  /** Also to be called when a panel comes to show another chat. */
  update(): void {
    const { commands, chats, isShown } = this.#options;
    for (const chat of chats()) {
      // What runs in the window that writes to it is told from there.
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
