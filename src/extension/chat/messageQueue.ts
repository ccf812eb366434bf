import type { Agent, QueueHandle, UserMessage } from "../../agent/index.ts";
import { attachmentsOf } from "../../protocol/attachments.ts";
import type { HostEvent, QueuedMessage } from "../../protocol/hostEvents.ts";
import type { HostState } from "../../protocol/hostState.ts";

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

/** What the user typed: the first text part of a message. */
export function wordsOf(message: UserMessage): string {
  const first = message.content[0];
  return first?.type === "text" ? first.text : "";
}
