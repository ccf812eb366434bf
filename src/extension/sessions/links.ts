import type { AgentEvent } from "../../agent/types.ts";
import { emptyUsage } from "../../agent/vocabulary/usage.ts";
import { type AgentRecord, isShown, type StoredRecord } from "./records.ts";
import type { SessionFold } from "./sessionFold.ts";

/** Corrects the agents of records in which one is damaged. */
export interface Link {
  event(event: AgentEvent): AgentEvent;
  /** Events that show an agent of which only this record says that there is one; undefined for any other record. */
  stray(record: AgentRecord): AgentEvent[] | undefined;
}

/**
 * Finds records that belong to no agent, since one wrong byte in an agent's id is enough: those of the root agent are
 * given back to it, others are shown as an agent below it. `fold` is what is ahead of the records.
 */
export function linkRecords(
  records: readonly StoredRecord[],
  { agentIds, rootIds }: Pick<SessionFold, "agentIds" | "rootIds">,
): { link?: Link; unlinked: number } {
  const agents = records.filter((record) => "agent" in record);
  const known = new Set(agentIds);
  const [rootId = likelyRoot(agents)] = rootIds;
  const types = typesOfRoots(agents);
  for (const { agent: event } of agents) {
    const { id, depth } = event.agent;
    if (event.type === "agent_spawned") known.add(event.child.id);
    // A root agent that began and spoke is one of its own.
    const of = types.get(id);
    if (depth === 0 && (id === rootId || (of?.has("agent_start") && of.has("message_end")))) known.add(id);
    if (depth > 0 && isShown({ seq: 0, agent: event })) known.add(id);
  }
  const strays = new Map<string, number>();
  let unlinked = 0;
  for (const { seq, agent: event } of agents) {
    const { id, depth } = event.agent;
    if (known.has(id)) continue;
    unlinked += 1;
    if (depth > 0 && !strays.has(id)) strays.set(id, seq);
  }
  const ids = new Set([...known, ...strays.keys()]);
  const isOrphan = ({ agent }: AgentEvent) => agent.parentId !== undefined && !ids.has(agent.parentId);
  if (unlinked === 0 && !agents.some(({ agent: event }) => isOrphan(event))) return { unlinked };
  const link: Link = {
    event(event) {
      const id = event.agent.depth === 0 && !known.has(event.agent.id) ? (rootId ?? event.agent.id) : event.agent.id;
      if (id === event.agent.id && !isOrphan(event)) return event;
      const parent = isOrphan(event) && rootId !== undefined ? { parentId: rootId } : {};
      return { ...event, agent: { ...event.agent, id, ...parent } };
    },
    stray({ seq, agent: event }) {
      return strays.get(event.agent.id) === seq ? strayEvents(event, rootId) : undefined;
    },
  };
  return { link, unlinked };
}

function typesOfRoots(records: readonly AgentRecord[]): Map<string, Set<string>> {
  const types = new Map<string, Set<string>>();
  for (const { agent: event } of records) {
    if (event.agent.depth !== 0) continue;
    const of = types.get(event.agent.id) ?? new Set<string>();
    types.set(event.agent.id, of.add(event.type));
  }
  return types;
}

function likelyRoot(records: readonly AgentRecord[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { agent } of records) {
    if (agent.agent.depth === 0) counts.set(agent.agent.id, (counts.get(agent.agent.id) ?? 0) + 1);
  }
  const [first] = [...counts].sort(([, a], [, b]) => b - a);
  return first?.[0];
}

function strayEvents(event: AgentEvent, rootId: string | undefined): AgentEvent[] {
  const { sessionId, runId, seq, timestamp } = event;
  const base = { sessionId, runId, seq, timestamp, agent: { parentId: rootId ?? "", ...event.agent } };
  return [
    { ...base, type: "agent_start" },
    { ...base, type: "agent_end", reason: "done", messages: [], usage: emptyUsage() },
  ];
}
