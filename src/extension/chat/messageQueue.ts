import { randomUUID } from "node:crypto";
import type { Agent, QueueHandle, UserMessage } from "../../agent/index.ts";
import { type Attachment, attachmentsOf } from "../../protocol/attachments.ts";
import type { HostEvent, QueuedMessage } from "../../protocol/hostEvents.ts";
import type { HostState } from "../../protocol/hostState.ts";
import type { Drafts } from "./compose/drafts.ts";
import type { ChatNotices } from "./notices.ts";

type WhenBusy = "queue" | "steer";

interface QueueingChat {
  readonly host: Pick<HostState, "queue">;
  emit(event: HostEvent): void;
}

/** What the user wrote while the agent was busy: shown until it is delivered or withdrawn. */
export class MessageQueue {
  readonly #chat: QueueingChat;
  readonly #waiting = new Map<string, { agent: Agent; handle: QueueHandle; message: UserMessage }>();

  constructor(chat: QueueingChat) {
    this.#chat = chat;
  }

  /** `to` names a sub-agent. */
  add(agent: Agent, message: UserMessage, whenBusy: WhenBusy, to?: string): void {
    const handle = whenBusy === "steer" ? agent.steer(message) : agent.followUp(message);
    this.#waiting.set(message.id, { agent, handle, message });
    const kind = whenBusy === "steer" ? "steering" : "followUp";
    const attachmentCount = attachmentsOf(message).length;
    const item = {
      id: message.id,
      text: wordsOf(message),
      kind,
      ...(attachmentCount > 0 && { attachmentCount }),
      ...(to !== undefined && { to, agentId: agent.id }),
    } as const;
    this.#set([...this.#chat.host.queue, item]);
  }

  /** Takes a message back; undefined when it was delivered meanwhile. */
  cancel(messageId: string): UserMessage | undefined {
    const waiting = this.#waiting.get(messageId);
    if (waiting === undefined || !waiting.agent.cancelQueued(waiting.handle)) return undefined;
    this.remove(messageId);
    return waiting.message;
  }

  /** A sub-agent that has ended gets no more messages. */
  endOf(agentId: string): void {
    for (const [messageId, { agent }] of [...this.#waiting]) if (agent.id === agentId) this.remove(messageId);
  }

  remove(messageId: string): void {
    if (!this.#waiting.delete(messageId)) return;
    this.#set(this.#chat.host.queue.filter((item) => item.id !== messageId));
  }

  #set(items: QueuedMessage[]): void {
    this.#chat.emit({ type: "queue_changed", items });
  }
}

interface HoldingChat extends QueueingChat {
  readonly id: string;
  readonly isDisposed: boolean;
  readonly notices: Pick<ChatNotices, "ids">;
}

interface Held {
  draft: { dispose(): void } | undefined;
  /** The notices that were shown when the user sent it. */
  notices: readonly string[];
}

/** Messages that were sent while something is asked or prepared before an agent gets them: shown, and kept over a reload. */
export class HeldMessages {
  readonly #chat: HoldingChat;
  readonly #drafts: Pick<Drafts, "hold"> | undefined;
  readonly #kept = new Map<string, Held>();

  constructor(chat: HoldingChat, drafts: Pick<Drafts, "hold"> | undefined) {
    this.#chat = chat;
    this.#drafts = drafts;
  }

  /** The id for the message. */
  add(text: string, attachments: readonly Attachment[]): string {
    const id = randomUUID();
    const draft = this.#drafts?.hold(this.#chat.id, id, { text, attachments });
    this.#kept.set(id, { draft, notices: this.#chat.notices.ids() });
    const count = attachments.length;
    const item = { id, text, kind: "held", ...(count > 0 && { attachmentCount: count }) } as const;
    this.#chat.emit({ type: "queue_changed", items: [...this.#chat.host.queue, item] });
    return id;
  }

  /** It goes to its agent, or is in the composer again. Gives the notices that the user saw when they sent it. */
  release(id: string): readonly string[] | undefined {
    const held = this.#kept.get(id);
    // In a window that ends nothing is sent any more: the next one has the words in the composer.
    if (held === undefined || this.#chat.isDisposed) return undefined;
    this.#kept.delete(id);
    held.draft?.dispose();
    const items = this.#chat.host.queue.filter((item) => item.id !== id);
    this.#chat.emit({ type: "queue_changed", items });
    return held.notices;
  }
}

/** What the user typed: the first text part of a message. */
export function wordsOf(message: UserMessage): string {
  const first = message.content[0];
  return first?.type === "text" ? first.text : "";
}
