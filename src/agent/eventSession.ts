import type { AgentEvent } from "./events.ts";

/** Where an event goes first: the agent it is about. */
export interface EventTarget {
  receive(event: AgentEvent): void;
}

/**
 * What all agents of one session share: its id and the order of its events. An event that a listener causes waits until
 * the one being delivered has reached everybody, so that every stream shows the same order.
 */
export class EventSession {
  readonly id: string;
  #seq = 0;
  #delivering = false;
  readonly #reloads = new Set<() => Promise<void>>();
  #waiting: { target: EventTarget; event: AgentEvent }[] = [];

  constructor(id: string = crypto.randomUUID()) {
    this.id = id;
  }

  /** Adds an agent whose transcript is kept in the session's store. */
  onReload(reload: () => Promise<void>): () => void {
    this.#reloads.add(reload);
    return () => void this.#reloads.delete(reload);
  }

  /** The store lost messages: every agent takes its transcript from it again. */
  async reload(): Promise<void> {
    for (const reload of this.#reloads) await reload();
  }

  /** The number of the latest event. */
  get lastSeq(): number {
    return this.#seq;
  }

  nextSeq(): number {
    this.#seq += 1;
    return this.#seq;
  }

  deliver(target: EventTarget, event: AgentEvent): void {
    if (this.#delivering) {
      this.#waiting.push({ target, event });
      return;
    }
    this.#delivering = true;
    try {
      target.receive(event);
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        next.target.receive(next.event);
      }
    } finally {
      this.#delivering = false;
    }
  }
}
