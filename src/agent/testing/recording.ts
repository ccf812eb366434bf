import type { AgentEvent } from "../vocabulary/events.ts";

interface Subscribable {
  subscribe(listener: (event: AgentEvent) => void): () => void;
}

/** The events of an agent or a team from now on. Disposing it ends that. */
export function recordEvents(source: Subscribable): { events: AgentEvent[] } & Disposable {
  const events: AgentEvent[] = [];
  const unsubscribe = source.subscribe((event) => events.push(event));
  return { events, [Symbol.dispose]: unsubscribe };
}

/** What happened, one line per event, children indented: a golden text for trees. Deltas and usage are left out. */
export function eventLines(events: readonly AgentEvent[]): string[] {
  return events
    .filter((event) => event.type !== "message_update" && event.type !== "usage")
    .map((event) => `${"  ".repeat(event.agent.depth)}${event.agent.name ?? "?"} ${line(event)}`);
}

function line(event: AgentEvent): string {
  switch (event.type) {
    case "agent_end":
      return `agent_end ${event.reason}`;
    case "message_start":
    case "message_end":
      return `${event.type} ${event.message.role}`;
    case "tool_execution_start":
    case "tool_execution_update":
    case "tool_execution_end":
      return `${event.type} ${event.toolName}`;
    case "limit_reached":
      return `limit_reached ${event.limit}`;
    default:
      return event.type;
  }
}
