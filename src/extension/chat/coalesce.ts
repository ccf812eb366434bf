import type { AgentEvent } from "../../agent/types.ts";
import type { LogEntry } from "../../protocol/messages.ts";

/**
 * Joins deltas of the same part of the same message that follow one another for their agent, and likewise the live
 * output of one call. A joined entry stands where its last part stood, so that sequence numbers keep rising; it may
 * pass other agents' entries on the way, since only the order within an agent matters to the fold.
 */
export function coalesce(entries: readonly LogEntry[]): LogEntry[] {
  const joined: (LogEntry | undefined)[] = [];
  const lastOfAgent = new Map<string, number>();
  for (const entry of entries) {
    if ("host" in entry) {
      // What the host says may answer what an agent did: nothing is moved across it.
      lastOfAgent.clear();
      joined.push(entry);
      continue;
    }
    const agentId = entry.agent.agent.id;
    const index = lastOfAgent.get(agentId);
    const previous = index === undefined ? undefined : joined[index];
    const merged = previous === undefined ? undefined : merge(previous, entry.agent);
    if (merged !== undefined && index !== undefined) joined[index] = undefined;
    lastOfAgent.set(agentId, joined.length);
    joined.push(merged === undefined ? entry : { seq: entry.seq, agent: merged });
  }
  return joined.filter((entry) => entry !== undefined);
}

function merge(previous: LogEntry, next: AgentEvent): AgentEvent | undefined {
  if (!("agent" in previous)) return undefined;
  const first = previous.agent;
  if (first.type === "message_update" && next.type === "message_update") {
    if (first.messageId !== next.messageId) return undefined;
    const a = first.delta;
    const b = next.delta;
    if (!("delta" in a) || !("delta" in b) || a.type !== b.type || a.index !== b.index) return undefined;
    return { ...next, delta: { ...b, delta: a.delta + b.delta } };
  }
  if (first.type === "tool_execution_update" && next.type === "tool_execution_update") {
    if (first.callId !== next.callId || first.output === undefined || next.output === undefined) return undefined;
    if (first.partial !== undefined || next.partial !== undefined) return undefined;
    return { ...next, output: first.output + next.output };
  }
  return undefined;
}
