import type { AgentEvent } from "../../agent/types.ts";
import type { OpenFile } from "../common/files.ts";
import { findLines, type Line, type Lines } from "./lines.ts";

/**
 * To which agent of the chat each record belongs. One wrong byte in an agent's id makes a record that belongs to nobody:
 * those of the root agent are its own, others are shown as an agent below it.
 */
export interface Links {
  /** The root agent; absent when none ever ran. */
  rootId?: string;
  /** All agents that any record names, with the number of their records. */
  counts: ReadonlyMap<string, number>;
  /** Of agents that nothing begins: one record of each. */
  strays: ReadonlySet<Line>;
  /** How many records did not link. */
  unlinked: number;
}

/** Gives the root agent's records back to it. */
export function linkRoot(lines: readonly Line[], counts: Lines["counts"]): Links {
  const first = lines.find(({ head }) => head.depth === 0)?.head.of;
  if (lines.every(({ head }) => head.depth !== 0 || head.of === first)) {
    return { ...(first !== undefined && { rootId: first }), counts, strays: new Set(), unlinked: 0 };
  }
  const kinds = new Map<string, Map<string, number>>();
  for (const { head } of lines) {
    if (head.depth !== 0 || head.of === undefined) continue;
    const of = kinds.get(head.of) ?? new Map<string, number>();
    kinds.set(head.of, of.set(head.kind, (of.get(head.kind) ?? 0) + 1));
  }
  const { rootId } = rootOf(kinds);
  let unlinked = 0;
  for (const { head } of lines) {
    if (head.depth !== 0 || head.of === undefined || head.of === rootId || rootId === undefined) continue;
    const of = kinds.get(head.of);
    // One that began and spoke is a root agent of its own.
    if (of?.has("agent_start") && of.has("message_end")) continue;
    head.of = rootId;
    unlinked += 1;
  }
  return { ...(rootId !== undefined && { rootId }), counts, strays: new Set(), unlinked };
}

function rootOf(kinds: ReadonlyMap<string, ReadonlyMap<string, number>>): { rootId?: string } {
  let rootId: string | undefined;
  let largest = 0;
  for (const [id, of] of kinds) {
    const count = [...of.values()].reduce((sum, each) => sum + each, 0);
    if (count <= largest) continue;
    largest = count;
    rootId = id;
  }
  return rootId === undefined ? {} : { rootId };
}

/** Finds agents that nothing begins, and puts a line of each among the others. */
export async function linkStrays(file: OpenFile, found: Lines, links: Links): Promise<Links> {
  const known = new Set<string>(links.rootId === undefined ? [] : [links.rootId]);
  for (const { head } of found.lines) {
    if (head.of !== undefined) known.add(head.of);
    if (head.kind === "agent_spawned" && head.key !== undefined) known.add(head.key);
  }
  const strayIds = new Set([...links.counts.keys()].filter((id) => !known.has(id)));
  // Records of the root agent that were given back to it don't count.
  for (const { head } of found.lines) if (head.depth === 0) strayIds.delete(head.of ?? "");
  if (strayIds.size === 0) return links;
  const strays = new Map<string, Line>();
  const { lines } = await findLines(file, ({ of, depth }) => depth !== 0 && of !== undefined && strayIds.has(of));
  for (const line of lines) if (!strays.has(line.head.of ?? "")) strays.set(line.head.of ?? "", line);
  found.lines = [...found.lines, ...strays.values()].sort((a, b) => a.offset - b.offset);
  return { ...links, strays: new Set(strays.values()), unlinked: links.unlinked + lines.length };
}

/** The event with the agent to which its record belongs. */
export function linked(event: AgentEvent, { head }: Line, { counts, rootId }: Links): AgentEvent {
  const { agent } = event;
  const isHeadRight = head.depth === 0 || (counts.get(head.of ?? "") ?? 0) >= (counts.get(agent.id) ?? 0);
  const id = head.of !== undefined && isHeadRight ? head.of : agent.id;
  const { parentId } = agent;
  const isOrphan = parentId !== undefined && rootId !== undefined && !counts.has(parentId);
  if (id === agent.id && !isOrphan) return event;
  return { ...event, agent: { ...agent, id, ...(isOrphan && { parentId: rootId }) } };
}

/** An agent of which only a single record shows that there was one. */
export function strayEvents(event: AgentEvent, { rootId }: Links): AgentEvent[] {
  const { sessionId, runId, seq, timestamp } = event;
  const base = { sessionId, runId, seq, timestamp, agent: { parentId: rootId ?? "", ...event.agent } };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 0 };
  return [
    { ...base, type: "agent_start" },
    { ...base, type: "agent_end", reason: "done", messages: [], usage },
  ];
}
