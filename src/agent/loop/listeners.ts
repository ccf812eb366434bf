import type { AgentEvent } from "../vocabulary/events.ts";

export type EventListener = (event: AgentEvent) => void;

interface Entry {
  listener: EventListener;
  /** Only events of the agent with this id. */
  onlyAgent: string | undefined;
  active: boolean;
  failed: boolean;
}

/** Listeners of one agent. One that throws is reported once and harms nobody else. */
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
    // Apart, because this runs for every delta at every agent above it, and mostly nobody listens there.
    if (this.#entries.length > 0) this.#callAll(event);
  }

  #callAll(event: AgentEvent): void {
    for (const entry of this.#entries) {
      if (!entry.active) continue;
      if (entry.onlyAgent !== undefined && entry.onlyAgent !== event.agent.id) continue;
      try {
        entry.listener(event);
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
