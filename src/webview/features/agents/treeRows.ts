import { t } from "@vscode/l10n";
import type { AgentTree, PendingRetry, TreeNode, Usage } from "../../../agent/types.ts";
import { type AgentStatus, agentName, statusWords } from "../../model/agentStatus.ts";
import type { Waiting } from "../../model/waiting.ts";
import { formatCost, formatTokens, tokenCount } from "../../text/format.ts";
import { liveLine } from "./liveLine.ts";

/** One visible row of the agent tree; flat values only, so that a row is redrawn only when it changes. */
export interface AgentRow {
  id: string;
  name: string;
  prefix: string;
  status: AgentStatus;
  live: string;
  /** A rewind took back what it was asked for. */
  isTakenBack: boolean;
  /** Stands in place of the live line as long as it lasts. */
  retry: PendingRetry | undefined;
  tokens: string;
  cost: string;
  /** From 1. */
  level: number;
  position: number;
  siblings: number;
  /** Undefined for an agent without children. */
  isExpanded: boolean | undefined;
  parentId: string | undefined;
  /** What the row's name says after the agent's; the live line is apart from it, since it may name other agents. */
  facts: string;
}

export interface RowSource {
  tree: AgentTree;
  waiting: Waiting;
  collapsed: ReadonlySet<string>;
  /** Ids of agents whose run the end of the editor cut off. Default: none. */
  interrupted?: readonly string[];
  /** The conversation begins before what is shown of it. Default: false. */
  hasEarlier?: boolean;
}

/** What the library gives to agents that name no prefix of their own; on every row it would say nothing. */
const everyonesPrefix = "🤖";

/** The visible rows from top to bottom. A collapsed row carries the totals of its subtree. */
export function agentRows(source: RowSource): AgentRow[] {
  const rows: AgentRow[] = [];
  addRows(rows, source, { ids: source.tree.roots, level: 1, isTakenBack: false });
  return rows;
}

interface Siblings {
  ids: readonly string[];
  level: number;
  /** Their parent's work is undone, and theirs with it. */
  isTakenBack: boolean;
}

function addRows(rows: AgentRow[], source: RowSource, { ids, level, isTakenBack: isAbove }: Siblings): void {
  const calls = knownCalls(source, ids);
  for (const [index, id] of ids.entries()) {
    const node = source.tree.nodes[id];
    if (node === undefined) continue;
    const place = { level, position: index + 1, siblings: ids.length };
    const isTakenBack = isAbove || isMissing(node.meta.toolCallId, calls);
    const row = { ...rowOf(node, source, isTakenBack), ...place };
    rows.push(row);
    if (row.isExpanded === true) addRows(rows, source, { ids: node.children, level: level + 1, isTakenBack });
  }
}

/** An agent that no call started was never asked for by words. */
function isMissing(callId: string | undefined, calls: ReadonlySet<string> | undefined): boolean {
  return callId !== undefined && calls !== undefined && !calls.has(callId);
}

/**
 * The calls in the conversation of the agents' parent; an agent whose call is not among them was asked for by words that
 * a rewind took out. Undefined where it can't be told: only the root's conversation is rewound, and known whole.
 */
function knownCalls({ tree, hasEarlier }: RowSource, [first = ""]: readonly string[]): Set<string> | undefined {
  const parentId = tree.nodes[first]?.meta.parentId;
  const parent = parentId === undefined ? undefined : tree.nodes[parentId];
  if (hasEarlier === true || parent?.meta.depth !== 0) return undefined;
  const said = parent.messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
  return new Set(said.flatMap((part) => (part.type === "toolCall" ? [part.id] : [])));
}

function rowOf(
  node: TreeNode,
  source: RowSource,
  isTakenBack: boolean,
): Omit<AgentRow, "level" | "position" | "siblings"> {
  const isExpanded = node.children.length === 0 ? undefined : !source.collapsed.has(node.meta.id);
  const waitingFor =
    source.waiting.get(node.meta.id) ?? (isExpanded === false ? waitingBelow(node, source) : undefined);
  const status = node.status === "running" && waitingFor !== undefined ? "waiting" : node.status;
  const usage = isExpanded === false ? node.total : node.own;
  const tokens = tokensText(usage);
  const cost = formatCost(usage.cost) ?? "";
  const isCutOff = status === "aborted" && source.interrupted?.includes(node.meta.id) === true;
  const past = isTakenBack ? t("Undone by rewind") : isCutOff ? t("interrupted") : undefined;
  const words = [waitingFor ?? past ?? statusWords[status], tokens && t("{0} tokens", tokens), cost];
  return {
    id: node.meta.id,
    name: agentName(node.meta),
    prefix: node.meta.prefix === everyonesPrefix ? "" : node.meta.prefix,
    status,
    isTakenBack,
    live: past ?? liveLine(node, status, waitingFor),
    retry: status === "running" ? node.retry : undefined,
    tokens,
    cost,
    isExpanded,
    parentId: node.meta.parentId,
    facts: words.filter((word) => word !== "").join(", "),
  };
}

function tokensText(usage: Usage): string {
  const count = tokenCount(usage);
  return count === 0 ? "" : formatTokens(count);
}

/** Nothing waits unseen: a collapsed row shows that something below it needs an answer. */
function waitingBelow(node: TreeNode, { tree, waiting }: RowSource): string | undefined {
  for (const [agentId, words] of waiting) if (isBelow(tree, agentId, node.meta.id)) return words;
  return undefined;
}

function isBelow(tree: AgentTree, agentId: string, ancestorId: string): boolean {
  let parentId = tree.nodes[agentId]?.meta.parentId;
  // The step count ends the walk even if a damaged log made a circle.
  for (let steps = 0; parentId !== undefined && steps < 100; steps++) {
    if (parentId === ancestorId) return true;
    parentId = tree.nodes[parentId]?.meta.parentId;
  }
  return false;
}
