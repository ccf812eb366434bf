import { t } from "@vscode/l10n";
import type { SessionStorage } from "../sessions/session.ts";
import { Chat, type ChatDependencies } from "./chat.ts";
import type { ChatRecord } from "./log/chatRecording.ts";
import { noticeOf } from "./notices.ts";
import { everySecond, followChat } from "./restore/followChat.ts";
import { type OpenedSession, type OpenSessionOptions, openSession, type ReadEdits } from "./restore/openSession.ts";
import { type RestoredChat, windowNotices } from "./restore/restoredChat.ts";

/** What all chats together wait for and do. */
export interface ChatsActivity {
  isRunning: boolean;
  approvals: number;
  questions: number;
}

export interface ChatsDependencies extends Omit<ChatDependencies, "record"> {
  sessions: SessionStorage;
  warn(message: string): void;
  /** How what another window writes is looked for. Default: each second. */
  repeatedly?(look: () => void): { dispose(): void };
  /** Called with a chat that another window goes on with after it was taken for left: it is to be opened again. */
  onReturn?(chat: Chat): void;
  /** Called with each chat that was opened from its session. */
  onOpen?(chat: Chat, restored: RestoredChat): void;
  /** What an earlier window left of edits of a chat that is this window's own. Default: nothing is known. */
  interruptedEdits?: ReadEdits;
}

/**
 * All chats that are open: the shown ones, and those that run or wait for the user while another is shown. Each is in a
 * session on disk from its first message on, where those that are not open are found again.
 */
export class Chats {
  readonly #dependencies: ChatsDependencies;
  readonly #open = new Map<string, Chat>();
  readonly #opening = new Map<string, Promise<Chat>>();
  readonly #troubled = new WeakSet<Chat>();
  /** A session that is being closed can't be opened until then. */
  readonly #closing = new Map<string, Promise<void>>();

  constructor(dependencies: ChatsDependencies) {
    this.#dependencies = dependencies;
  }

  get all(): readonly Chat[] {
    return [...this.#open.values()];
  }

  get activity(): ChatsActivity {
    const sum = (count: (chat: Chat) => number) => this.all.reduce((total, chat) => total + count(chat), 0);
    return {
      isRunning: this.all.some((chat) => chat.isRunning),
      approvals: sum((chat) => chat.openApprovalCount),
      questions: sum((chat) => chat.openQuestionCount),
    };
  }

  /** The chat, when it is open. */
  find(id: string): Chat | undefined {
    return this.#open.get(id);
  }

  create(): Chat {
    const { sessions } = this.#dependencies;
    const dependencies = { ...this.#dependencies, record: (made: Chat) => this.#record(made) };
    const chat = new Chat(dependencies, { sessions });
    this.#open.set(chat.id, chat);
    return chat;
  }

  /** The chat of a session. Opened twice, it is one. */
  async open(id: string, options?: OpenSessionOptions): Promise<Chat> {
    const known = this.#open.get(id) ?? this.#opening.get(id);
    if (known !== undefined) return known;
    const opening = this.#openSession(id, options).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  /** Stops what runs and lets the chat go; its session stays. */
  async close(chat: Chat): Promise<void> {
    // Opened again, a chat is another one of the same id.
    if (this.#open.get(chat.id) !== chat) return this.#closing.get(chat.id);
    this.#open.delete(chat.id);
    const closing = chat.dispose().finally(() => this.#closing.delete(chat.id));
    this.#closing.set(chat.id, closing);
    await closing;
  }

  /** Stops an agent with all that it spawned, whichever chat it works in. */
  async stopAgent(agentId: string): Promise<void> {
    await Promise.all(this.all.filter(({ isReadOnly }) => !isReadOnly).map((chat) => chat.stop(agentId)));
  }

  /** Writing failed: shown once in each chat, since all of them go on. With an id it concerns that chat alone. */
  showTrouble(message: string, id?: string): void {
    this.#dependencies.warn(message);
    if (id !== undefined) {
      this.find(id)?.notices.show(noticeOf("warning", { text: message, actions: [] }));
      return;
    }
    for (const chat of this.all) {
      if (this.#troubled.has(chat)) continue;
      this.#troubled.add(chat);
      chat.notices.show({ ...noticeOf("warning", { text: message, actions: ["showLog"] }), id: windowNotices.storage });
    }
  }

  /**
   * The chat that was shown before the window was reloaded. One without a session, because nothing was said in it, is
   * a new one now; so is one that can't be read, and says why.
   */
  async openAgain(id: string): Promise<Chat> {
    try {
      return await this.open(id);
    } catch (error) {
      const chat = this.create();
      const summaries = await this.#dependencies.sessions.list();
      if (summaries.some((session) => session.id === id)) {
        this.#dependencies.warn(`The chat that was shown before can't be opened: ${reasonOf(error)}`);
        chat.notices.show(noticeOf("warning", { text: reasonOf(error), actions: ["showLog"] }));
      }
      return chat;
    }
  }

  async dispose(): Promise<void> {
    await Promise.all(this.all.map((chat) => this.close(chat)));
  }

  async #record(chat: Chat): Promise<ChatRecord | undefined> {
    try {
      return await this.#dependencies.sessions.create(chat.id);
    } catch (error) {
      this.showTrouble(
        t("This chat can't be written to disk, so it will be gone after a reload: {0}", reasonOf(error)),
      );
      return undefined;
    }
  }

  async #openSession(id: string, options?: OpenSessionOptions): Promise<Chat> {
    await this.#closing.get(id);
    const { sessions, interruptedEdits } = this.#dependencies;
    const { problems, followed, ...origin } = await openSession(sessions, id, { ...options, interruptedEdits });
    const chat = new Chat(this.#dependencies, { ...origin, sessions });
    this.#open.set(id, chat);
    if (followed !== undefined) this.#follow(chat, followed);
    this.#dependencies.onOpen?.(chat, origin.restored);
    if (chat.host.pending.length > 0) this.#dependencies.onActivity(chat);
    await chat.offerEdits();
    for (const problem of problems) chat.notices.show(noticeOf("warning", { text: problem, actions: [] }));
    return chat;
  }

  #follow(chat: Chat, followed: NonNullable<OpenedSession["followed"]>): void {
    const { sessions, warn, onReturn, repeatedly = everySecond } = this.#dependencies;
    const onFailure = (error: unknown) => warn(`The chat ${chat.id} is not followed any more: ${reasonOf(error)}`);
    const options = { ...followed, storage: sessions, repeatedly, onFailure };
    chat.own(followChat(chat, { ...options, onReturn: () => onReturn?.(chat) }));
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
