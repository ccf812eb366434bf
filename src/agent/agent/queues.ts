import type { QueueName } from "../loop/runState.ts";
import type { AgentMessage } from "../vocabulary/messages.ts";
import type { QueueHandle, QueueMode } from "./agentOptions.ts";

interface Entry {
  id: string;
  messages: AgentMessage[];
  /** Called once: when the entry is delivered, or when it never will be. */
  onDelivered?: (() => void) | undefined;
  onDropped?: (() => void) | undefined;
}

/** What waits for an agent: steering for the next turn, follow-ups for when nothing else is left. */
export class MessageQueues {
  readonly modes: Record<QueueName, QueueMode>;
  readonly #entries: Record<QueueName, Entry[]> = { steering: [], followUp: [] };

  constructor(modes: Record<QueueName, QueueMode>) {
    this.modes = modes;
  }

  /** Messages waiting in a queue. */
  count(name: QueueName): number {
    return this.#entries[name].reduce((sum, entry) => sum + entry.messages.length, 0);
  }

  /** Ids of the messages that wait. */
  get messageIds(): Set<string> {
    const entries = [...this.#entries.steering, ...this.#entries.followUp];
    return new Set(entries.flatMap(({ messages }) => messages.map(({ id }) => id)));
  }

  get isEmpty(): boolean {
    return this.#entries.steering.length === 0 && this.#entries.followUp.length === 0;
  }

  add(
    name: QueueName,
    messages: AgentMessage[],
    callbacks: { onDelivered?: () => void; onDropped?: () => void } = {},
  ): QueueHandle {
    const entry = { id: crypto.randomUUID(), messages, ...callbacks };
    this.#entries[name].push(entry);
    return { id: entry.id };
  }

  /** Whether the entry was still waiting. */
  cancel(handle: QueueHandle): boolean {
    for (const entries of Object.values(this.#entries)) {
      const at = entries.findIndex((entry) => entry.id === handle.id);
      if (at < 0) continue;
      for (const entry of entries.splice(at, 1)) entry.onDropped?.();
      return true;
    }
    return false;
  }

  clear(which?: QueueName): void {
    for (const name of which === undefined ? (["steering", "followUp"] as const) : [which]) {
      for (const entry of this.#entries[name].splice(0)) entry.onDropped?.();
    }
  }

  /**
   * Takes what is due, by the queue's mode; `deliver` is called with each message that has left the queue. Answers of
   * other agents come all at once: one exchange can take them all in.
   */
  drain(name: QueueName, deliver: (message: AgentMessage) => void = () => {}): AgentMessage[] {
    const entries = this.#entries[name];
    const first = entries[0];
    if (first === undefined) return [];
    const isDue = (entry: Entry) =>
      this.modes[name] === "all" || entry === first || (isResponse(first) && isResponse(entry));
    const due = entries.filter(isDue);
    this.#entries[name] = entries.filter((entry) => !isDue(entry));
    const messages: AgentMessage[] = [];
    for (const entry of due) {
      entry.onDelivered?.();
      for (const message of entry.messages) {
        messages.push(message);
        deliver(message);
      }
    }
    return messages;
  }
}

function isResponse(entry: Entry): boolean {
  return entry.messages.every((message) => message.role === "agentResponse");
}

/** A run that queued messages are about to start. */
export class DelayedStart {
  #due: { timer: ReturnType<typeof setTimeout>; done: Promise<void>; finish: () => void } | undefined;

  get isDue(): boolean {
    return this.#due !== undefined;
  }

  /** Resolves when it has started or was called off. */
  get done(): Promise<void> {
    return this.#due?.done ?? Promise.resolve();
  }

  /** Not before the caller that stopped the last run has seen the agent idle. */
  schedule(start: () => void): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#due = undefined;
      start();
      resolve();
    }, 0);
    this.#due = { timer, done: promise, finish: resolve };
  }

  cancel(): void {
    if (this.#due === undefined) return;
    clearTimeout(this.#due.timer);
    this.#due.finish();
    this.#due = undefined;
  }
}
