import type { AgentEvent } from "../../agent/types.ts";
import type { LogEntry } from "../../protocol/messages.ts";

export type AgentStart = Extract<AgentEvent, { type: "agent_start" }>;

/**
 * The latest starts of agents whose run has no end: the editor was closed or died in it. Whoever was started last comes
 * first, so that a caller ends after those it called. Of a session that was opened in pages, `carried` belongs to the
 * entries.
 */
export function interruptedAgents(entries: Iterable<LogEntry>): AgentStart[] {
  const running = new Map<string, AgentStart>();
  for (const entry of entries) {
    if (!("agent" in entry)) continue;
    const event = entry.agent;
    if (event.type === "agent_end") running.delete(event.agent.id);
    else if (event.type === "agent_exit") running.delete(event.child.id);
    else if (event.type === "agent_start") {
      // Taken out first, so that the order is that of the latest starts.
      running.delete(event.agent.id);
      running.set(event.agent.id, event);
    }
  }
  return [...running.values()].reverse();
}
