import type { AgentEvent } from "../vocabulary/events.ts";

/** Where events go: the agent they are about, then its parent, up to the root. */
export interface EventTarget {
  readonly parent: EventTarget | undefined;
  receive(event: AgentEvent): void;
  /** Its run has ended. */
  endStreams(): void;
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

  /** Tells an event to its own agent's listeners and streams first, then outward to the root. */
  deliver(agent: EventTarget, told: AgentEvent): void {
    if (this.#delivering) {
      this.#waiting.push({ target: agent, event: told });
      return;
    }
    let target = agent;
    let event = told;
    this.#delivering = true;
    try {
      for (;;) {
        for (let at: EventTarget | undefined = target; at !== undefined; at = at.parent) at.receive(event);
        if (event.type === "agent_end") target.endStreams();
        // The length first: this runs for every delta, and taking from an empty list is dear to compile.
        const next = this.#waiting.length === 0 ? undefined : this.#waiting.shift();
        if (next === undefined) return;
        ({ target, event } = next);
      }
    } finally {
      this.#delivering = false;
    }
  }
}
