import type { AgentMessage } from "../vocabulary/messages.ts";
import type { AgentSnapshot } from "../vocabulary/pause.ts";
import { addUsage, emptyUsage, type Usage } from "../vocabulary/usage.ts";
import type { SessionRow, SessionStore } from "./store.ts";

/** What a session has of an agent. */
export interface StoredAgent {
  messages: AgentMessage[];
  usage?: Usage;
  total?: Usage;
}

/** Ids of sub-agents by the call that created them. */
export type AgentIdsByCall = Record<string, string[]>;

export function usageKey(agentId: string): string {
  return `usage:${agentId}`;
}

export function childrenKey(agentId: string): string {
  return `children:${agentId}`;
}

export async function readSession(store: SessionStore, agentId: string): Promise<StoredAgent> {
  const rows = await store.list({ agentId });
  const { counted, ...spending } = parseUsage((await store.getMeta())[usageKey(agentId)]);
  const messages = inCallOrder(rows.map((row) => row.message));
  const added = uncounted(messages, counted);
  const isKnown = spending.usage !== undefined || Object.values(added).some((figure) => figure > 0);
  if (!isKnown) return { messages };
  const { usage = emptyUsage(), total = usage } = spending;
  return { messages, usage: addUsage(usage, added), total: addUsage(total, added) };
}

/** An agent with the stored sub-agents of its calls, as a session has them. */
export async function readSnapshot(store: SessionStore, agentId: string): Promise<AgentSnapshot> {
  return snapshotOf(await store.list(), await store.getMeta(), agentId);
}

function snapshotOf(rows: readonly SessionRow[], meta: Record<string, string>, agentId: string): AgentSnapshot {
  const messages = inCallOrder(rows.flatMap((row) => (row.agentId === agentId ? [row.message] : [])));
  const { counted, usage = emptyUsage(), total = usage } = parseUsage(meta[usageKey(agentId)]);
  const calls = Object.entries(parseChildren(meta[childrenKey(agentId)]));
  const children = Object.fromEntries(
    calls.map(([callId, ids]) => [callId, ids.map((id) => snapshotOf(rows, meta, id))] as const),
  );
  const own = uncounted(messages, counted);
  // What a sub-agent had not saved of its own was not saved above it either.
  const below = Object.values(children)
    .flat()
    .map((child) => uncountedBelow(rows, meta, child));
  const added = [own, ...below].reduce(addUsage);
  const turnIndex = messages.filter(({ role }) => role === "assistant").length;
  return { agentId, messages, usage: addUsage(usage, own), total: addUsage(total, added), turnIndex, children };
}

function uncountedBelow(rows: readonly SessionRow[], meta: Record<string, string>, child: AgentSnapshot): Usage {
  const own = uncounted(child.messages, parseUsage(meta[usageKey(child.agentId)]).counted);
  const below = Object.values(child.children).flat();
  return below.reduce((sum, one) => addUsage(sum, uncountedBelow(rows, meta, one)), own);
}

/** The usage of answers after the one that was last counted: the process that wrote them ended before it could save theirs. */
function uncounted(messages: readonly AgentMessage[], counted: string | undefined): Usage {
  if (counted === noneCounted) return emptyUsage();
  const at = messages.findLastIndex(({ id }) => id === counted);
  let sum = emptyUsage();
  for (const message of messages.slice(at + 1)) {
    if (message.role === "assistant" && message.usage !== undefined) sum = addUsage(sum, message.usage);
  }
  return sum;
}

/** Of a session that an earlier version wrote. */
const noneCounted = "";

/** Results are written as their calls end; in a transcript they have the order of the calls. */
function inCallOrder(messages: readonly AgentMessage[]): AgentMessage[] {
  const ordered: AgentMessage[] = [];
  for (let at = 0; at < messages.length; ) {
    const message = messages[at];
    if (message === undefined) break;
    ordered.push(message);
    at += 1;
    if (message.role !== "assistant") continue;
    let end = at;
    while (messages[end]?.role === "toolResult") end += 1;
    const results = messages.slice(at, end);
    const callIds = message.content.map((part) => (part.type === "toolCall" ? part.id : ""));
    const placeOf = (result: AgentMessage) => (result.role === "toolResult" ? callIds.indexOf(result.callId) : -1);
    ordered.push(...results.toSorted((a, b) => placeOf(a) - placeOf(b)));
    at += results.length;
  }
  return ordered;
}

type StoredSpending = Pick<StoredAgent, "usage" | "total"> & { counted?: string };

function parseUsage(text: string | undefined): StoredSpending {
  if (text === undefined) return {};
  try {
    const stored: unknown = JSON.parse(text);
    const total = fieldOf(stored, "total");
    const counted = fieldOf(stored, "counted");
    return {
      usage: usageOf(stored),
      // Null before the first answer.
      ...(counted === null ? {} : { counted: typeof counted === "string" ? counted : noneCounted }),
      ...(total === undefined ? {} : { total: usageOf(total) }),
    };
  } catch {
    // A damaged line costs the figures, not the conversation.
    return {};
  }
}

function usageOf(stored: unknown): Usage {
  const figures = Object.entries(emptyUsage()).map(([name, none]) => {
    const value = fieldOf(stored, name);
    return [name, typeof value === "number" && Number.isFinite(value) ? value : none];
  });
  return Object.fromEntries(figures);
}

function parseChildren(text: string | undefined): AgentIdsByCall {
  try {
    const stored: unknown = JSON.parse(text ?? "{}");
    const isIds = (ids: unknown): ids is string[] => Array.isArray(ids) && ids.every((id) => typeof id === "string");
    const calls = typeof stored === "object" && stored !== null ? Object.entries(stored) : [];
    return Object.fromEntries(calls.filter((call): call is [string, string[]] => isIds(call[1])));
  } catch {
    // Without them, the calls that were open begin again.
    return {};
  }
}

function fieldOf(stored: unknown, name: string): unknown {
  return typeof stored === "object" && stored !== null ? Reflect.get(stored, name) : undefined;
}
