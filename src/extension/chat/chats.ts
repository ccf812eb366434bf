import { Chat, type ChatDependencies } from "./chat.ts";

/** What all chats together wait for and do. */
export interface ChatsActivity {
  isRunning: boolean;
  approvals: number;
  questions: number;
}

/** All chats that are open: the shown ones, and those that run or wait for the user while another is shown. */
export class Chats {
  readonly #dependencies: ChatDependencies;
  readonly #open = new Set<Chat>();

  constructor(dependencies: ChatDependencies) {
    this.#dependencies = dependencies;
  }

  get all(): readonly Chat[] {
    return [...this.#open];
  }

  get activity(): ChatsActivity {
    const sum = (count: (chat: Chat) => number) => this.all.reduce((total, chat) => total + count(chat), 0);
    return {
      isRunning: this.all.some((chat) => chat.isRunning),
      approvals: sum((chat) => chat.openApprovalCount),
      questions: sum((chat) => chat.openQuestionCount),
    };
  }

  create(): Chat {
    const chat = new Chat(this.#dependencies);
    this.#open.add(chat);
    return chat;
  }

  async close(chat: Chat): Promise<void> {
    if (this.#open.delete(chat)) await chat.dispose();
  }

  async dispose(): Promise<void> {
    await Promise.all(this.all.map((chat) => this.close(chat)));
  }
}
