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

  /** Publishes an event to its own agent's listeners and streams first, then outward to the root. */
  deliver(agent: EventTarget, published: AgentEvent): void {
    if (this.#delivering) {
      this.#waiting.push({ target: agent, event: published });
      return;
    }
    let target = agent;
    let event = published;
    this.#delivering = true;
    try {
      for (;;) {
        for (let at: EventTarget | undefined = target; at !== undefined; at = at.parent) at.receive(event);
        if (event.type === "agent_end") target.endStreams();
        // The length first: this runs for every delta, and taking from an empty list is slow to compile.
        const next = this.#waiting.length === 0 ? undefined : this.#waiting.shift();
        if (next === undefined) return;
        ({ target, event } = next);
      }
    } finally {
      this.#delivering = false;
    }
  }
}

export type EventListener = (event: AgentEvent) => void;

interface Entry {
  listener: EventListener;
  /** Only events of the agent with this id. */
  onlyAgent: string | undefined;
  active: boolean;
  failed: boolean;
}

/** Listeners of one agent. One that throws is reported once and disturbs no other. */
export class ListenerList {
  #entries: readonly Entry[] = [];

  /** Returns what removes the listener; it gets nothing more, not even of a delivery under way. */
  add(listener: EventListener, onlyAgent?: string): () => void {
    const entry: Entry = { listener, onlyAgent, active: true, failed: false };
    this.#entries = [...this.#entries, entry];
    return () => {
      entry.active = false;
      this.#entries = this.#entries.filter((other) => other !== entry);
    };
  }

  call(event: AgentEvent): void {
    // Apart, because this runs for every delta at every agent above it, and mostly nothing listens there.
    if (this.#entries.length > 0) this.#callAll(event);
  }

  #callAll(event: AgentEvent): void {
    for (const entry of this.#entries) {
      if (!entry.active) continue;
      if (entry.onlyAgent !== undefined && entry.onlyAgent !== event.agent.id) continue;
      try {
        const answer: unknown = entry.listener(event);
        if (answer instanceof Promise) answer.catch((error: unknown) => report(entry, error));
      } catch (error) {
        report(entry, error);
      }
    }
  }
}

/** The run must not suffer from a listener, and an event about it would change what the others see. */
function report(entry: Entry, error: unknown): void {
  if (entry.failed) return;
  entry.failed = true;
  console.error("A listener of agent events failed; the run goes on.", error);
}
