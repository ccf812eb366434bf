import { Chat, type ChatDependencies } from "./chat.ts";

/** The chat on show. Starting a new one stops the one before. */
export class Chats {
  readonly #dependencies: ChatDependencies;
  readonly #onShow: (chat: Chat) => void;
  #current: Chat;

  constructor(dependencies: ChatDependencies, onShow: (chat: Chat) => void) {
    this.#dependencies = dependencies;
    this.#onShow = onShow;
    this.#current = new Chat(dependencies);
  }

  get current(): Chat {
    return this.#current;
  }

  async startNew(): Promise<void> {
    const previous = this.#current;
    this.#current = new Chat(this.#dependencies);
    this.#onShow(this.#current);
    await previous.dispose();
  }

  async dispose(): Promise<void> {
    await this.#current.dispose();
  }
}
