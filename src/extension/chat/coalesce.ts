import type { AgentEvent } from "../../agent/types.ts";
import type { LogEntry } from "../../protocol/messages.ts";

/**
 * Joins deltas of the same part of the same message that follow one another for their agent, and likewise the live
 * output of one call. A joined entry stands where its last part stood, so that sequence numbers keep rising; it may
 * pass other agents' entries on the way, since only the order within an agent matters to the fold.
 */
export function coalesce(entries: readonly LogEntry[]): LogEntry[] {
  const joined: (Run | undefined)[] = [];
  const lastOfAgent = new Map<string, number>();
  for (const entry of entries) {
    if ("host" in entry) {
      // What the host says may answer what an agent did: nothing is moved across it.
      lastOfAgent.clear();
      joined.push({ last: entry, text: undefined });
      continue;
    }
    const agentId = entry.agent.agent.id;
    const index = lastOfAgent.get(agentId);
    const previous = index === undefined ? undefined : joined[index];
    let run: Run = { last: entry, text: undefined };
    if (index !== undefined && previous !== undefined && "agent" in previous.last) {
      const before = previous.last.agent;
      if (isContinued(before, entry.agent)) {
        run = previous;
        run.text = (run.text ?? textOf(before)) + textOf(entry.agent);
        run.last = entry;
        // Nobody else came between: it stands where it has to.
        if (index === joined.length - 1) continue;
        joined[index] = undefined;
      }
    }
    lastOfAgent.set(agentId, joined.length);
    joined.push(run);
  }
  return joined.flatMap((run) => (run === undefined ? [] : [entryOf(run)]));
}

/** Entries that become one: the last of them, with the text of all. Events are built once, not once per delta. */
interface Run {
  last: LogEntry;
  /** Undefined while it is one entry alone. */
  text: string | undefined;
}

function isContinued(first: AgentEvent, next: AgentEvent): boolean {
  if (first.type === "message_update" && next.type === "message_update") {
    const a = first.delta;
    const b = next.delta;
    return (
      first.messageId === next.messageId && "delta" in a && "delta" in b && a.type === b.type && a.index === b.index
    );
  }
  if (first.type === "tool_execution_update" && next.type === "tool_execution_update") {
    if (first.callId !== next.callId || first.output === undefined || next.output === undefined) return false;
    return first.partial === undefined && next.partial === undefined;
  }
  return false;
}

function textOf(event: AgentEvent): string {
  if (event.type === "message_update") return "delta" in event.delta ? event.delta.delta : "";
  return event.type === "tool_execution_update" ? (event.output ?? "") : "";
}

function entryOf({ last, text }: Run): LogEntry {
  if (text === undefined || !("agent" in last)) return last;
  const { seq, agent } = last;
  if (agent.type === "tool_execution_update") return { seq, agent: { ...agent, output: text } };
  if (agent.type !== "message_update" || !("delta" in agent.delta)) return last;
  return { seq, agent: { ...agent, delta: { ...agent.delta, delta: text } } };
}
