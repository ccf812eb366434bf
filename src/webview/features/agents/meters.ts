import type { AgentMessage, AgentTree, TreeNode } from "../../../agent/types.ts";
import { agentStatus, type Waiting } from "../../model/agents.ts";
import type { Activity } from "../../model/chat.ts";
import { formatCost } from "../../text/format.ts";
import { type AgentRow, haltText } from "./rows.ts";

const sortings = ["cost", "time", "context"] as const;
const filters = ["running", "waiting", "failed"] as const;

/** How the rows of the tree are shown. */
interface Meters {
  /** What an agent alone cost rather than with all below it. */
  isOwn: boolean;
  sorting: (typeof sortings)[number] | undefined;
  filter: (typeof filters)[number] | undefined;
}

interface SavedMeters extends Meters {
  /** With a change, as the panel saves them. */
  changed(change: Partial<Meters>): string;
}

/** As the panel saves it. */
export function parseMeters(saved: string): SavedMeters {
  const words = saved.split(" ");
  const meters: Meters = {
    isOwn: words.includes("own"),
    sorting: sortings.find((each) => words.includes(each)),
    filter: filters.find((each) => words.includes(each)),
  };
  return { ...meters, changed: (change) => formatMeters({ ...meters, ...change }) };
}

function formatMeters({ isOwn, sorting, filter }: Meters): string {
  return [isOwn ? "own" : undefined, sorting, filter].filter((word) => word !== undefined).join(" ");
}

/** Why a row asks to be looked at. */
type Mark = "stalled" | "repeating";

interface Metering extends Meters {
  tree: AgentTree;
  now: number;
  marks: ReadonlyMap<string, Mark>;
  texts: Readonly<Record<Mark, string>>;
}

/** How siblings are ordered, undefined for as they are anyway, and what becomes of the rows. */
export function applyMeters(metering: Metering) {
  return {
    order: metering.sorting && largestFirst(metering.sorting, metering),
    rows: (rows: readonly AgentRow[]) => meteredRows(rows, metering),
  };
}

/** Each with its branch. */
function largestFirst(sorting: NonNullable<Meters["sorting"]>, { isOwn, tree, now }: Metering) {
  const figure = (id: string): number => {
    const node = tree.nodes[id];
    if (node === undefined) return 0;
    if (sorting === "context") return node.contextPercent;
    if (sorting === "cost") return (isOwn ? node.own : node.total).cost;
    return (node.endedAt ?? now) - node.startedAt + (node.earlierMs ?? 0);
  };
  return (ids: readonly string[]): readonly string[] => ids.toSorted((one, other) => figure(other) - figure(one));
}

/** The rows as the meters have them, with what is marked. */
function meteredRows(rows: readonly AgentRow[], { isOwn, filter, tree, marks, texts }: Metering): AgentRow[] {
  // With a single agent there is nothing to choose from, and no button to choose again.
  const isFiltered = filter !== undefined && Object.keys(tree.nodes).length > 1;
  const shown = isFiltered ? matching(rows, filter) : rows;
  return shown.map((row) => {
    const mark = marks.get(row.id);
    const own = isOwn && !row.isGroup ? tree.nodes[row.id]?.own : undefined;
    if (mark === undefined && own === undefined) return row;
    return {
      ...row,
      ...(own !== undefined && { cost: formatCost(own.cost) ?? "" }),
      ...(mark !== undefined && {
        ...{ mark, live: [texts[mark], row.live].filter((text) => text !== "").join(" · ") },
        nameDetails: `${row.nameDetails}, ${texts[mark]}`,
      }),
    };
  });
}

/** Whether an agent is among those that a filter shows. Who was stopped has not failed, who is queued or paused does not run. */
export function matchesFilter(status: AgentRow["status"] | "halted", filter: NonNullable<Meters["filter"]>): boolean {
  return status === (filter === "failed" ? "error" : filter);
}

/** Those with the status, and those above them, which show whose they are. */
function matching(rows: readonly AgentRow[], filter: NonNullable<Meters["filter"]>): AgentRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const shown = new Set<string>();
  for (const row of rows) {
    if (!matchesFilter(row.halt !== undefined ? "halted" : row.status, filter)) continue;
    for (let each: AgentRow | undefined = row; each !== undefined && !shown.has(each.id); ) {
      shown.add(each.id);
      each = byId.get(each.parentId ?? "");
    }
  }
  return numbered(rows.filter(({ id }) => shown.has(id)));
}

/** With their positions among the siblings that are left. */
function numbered(rows: readonly AgentRow[]): AgentRow[] {
  const counts = new Map<string | undefined, number>();
  const positions = rows.map(({ parentId }) => {
    counts.set(parentId, (counts.get(parentId) ?? 0) + 1);
    return counts.get(parentId) ?? 0;
  });
  return rows.map((row, index) => ({
    ...row,
    position: positions[index] ?? 0,
    siblings: counts.get(row.parentId) ?? 0,
  }));
}

/** An agent that has shown nothing new for so long is marked. */
export const maxQuietMs = 60_000;
/** A call that gave the same so often is marked. */
const maxRepeats = 3;
/** Results among which it is looked for. */
const maxResults = 10;

interface Seen {
  node: TreeNode;
  line: Activity[string] | undefined;
  at: number;
}

export interface MarkSource {
  tree: AgentTree;
  activity: Activity;
  waiting: Waiting;
  paused: readonly string[];
  now: number;
}

/** Finds agents that make no progress. It knows between two calls when each of them was last seen to do something. */
export function createMarks() {
  let seen = new Map<string, Seen>();
  /** Of calls and results, as they are compared: a part of a transcript never changes. */
  const texts = new WeakMap<object, string>();
  const textOf = (part: object, value: unknown) => {
    const text = texts.get(part) ?? JSON.stringify(value) ?? "";
    texts.set(part, text);
    return text;
  };

  return {
    of(source: MarkSource): Map<string, Mark> {
      const { tree, activity, now } = source;
      const marks = new Map<string, Mark>();
      const next = new Map<string, Seen>();
      for (const [id, node] of Object.entries(tree.nodes)) {
        if (node.status !== "running") continue;
        const known = seen.get(id);
        const line = activity[id];
        // Who is queued or paused is quiet for a reason, and has its minute when it goes on.
        const isQuiet = known?.node === node && known.line === line && haltText(node, source) === undefined;
        const at = isQuiet ? known.at : now;
        next.set(id, { node, line, at });
        if (isRepeating(node, textOf)) marks.set(id, "repeating");
        else if (now - at >= maxQuietMs && mayBeStalled(node, source)) marks.set(id, "stalled");
      }
      seen = next;
      return marks;
    },
  };
}

/** Who waits for somebody else does not stall. */
function mayBeStalled(node: TreeNode, { tree, waiting, now }: MarkSource): boolean {
  if (agentStatus(node, waiting) !== "running") return false;
  if (node.retry !== undefined && now < node.retry.until) return false;
  return !node.children.some((id) => tree.nodes[id]?.status === "running");
}

/** The latest call with its result is one of several that are the same. It is asked with each letter of an answer. */
function isRepeating({ messages }: TreeNode, textOf: (part: object, value: unknown) => string): boolean {
  const results: Extract<AgentMessage, { role: "toolResult" }>[] = [];
  for (let at = messages.length - 1; at >= 0 && results.length < maxResults; at--) {
    const message = messages[at];
    if (message?.role === "toolResult") results.push(message);
    else if (message?.role === "user") break;
  }
  const [latest] = results;
  if (latest === undefined || results.length < maxRepeats) return false;
  const ended = new Set(results.map(({ callId }) => callId));
  const calls = new Map<string, string>();
  for (const message of messages.slice(-4 * maxResults)) {
    if (message.role !== "assistant") continue;
    for (const part of message.content) {
      if (part.type !== "toolCall" || !ended.has(part.id)) continue;
      calls.set(part.id, `${part.name} ${textOf(part, part.arguments)}`);
    }
  }
  const callOf = ({ callId }: typeof latest) => calls.get(callId) ?? callId;
  const isSame = (result: typeof latest) =>
    callOf(result) === callOf(latest) && textOf(result, result.content) === textOf(latest, latest.content);
  // Of one cut to a preview the end is not known: tests that run again after an edit often begin with the same lines.
  const isPreview = textOf(latest, latest.content).includes('…"');
  return (isPreview ? results.slice(0, maxRepeats) : results).filter(isSame).length >= maxRepeats;
}
