import { t } from "@vscode/l10n";
import type { AgentMessage, AgentTree, PendingRetry, ToolActivity, TreeNode, Usage } from "../../../agent/types.ts";
import type { Waiting } from "../../model/agents.ts";
import { agentName, type ShownStatus, statusTexts } from "../../model/agents.ts";
import type { Activity } from "../../model/chat.ts";
import { formatCost, formatTokens, plural, totalTokens } from "../../text/format.ts";
import { folderAndName, labelOf, targetOf } from "../../text/target.ts";
import { oneLine, plainLine } from "../../text/visible.ts";

/** One visible row of the agent tree; flat values only, so that a row is redrawn only when it changes. */
export interface AgentRow {
  id: string;
  name: string;
  prefix: string;
  status: ShownStatus;
  live: string;
  /** A rewind undid the call that started it. */
  isUndone: boolean;
  /** Replaces the live line as long as it lasts. */
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
  /** The rest of the row's name, after the agent's; the live line is apart from it, since it may name other agents. */
  nameDetails: string;
}

export interface RowSource {
  tree: AgentTree;
  waiting: Waiting;
  collapsed: ReadonlySet<string>;
  /** Ids of agents whose run the end of the editor cut off. Default: none. */
  interrupted?: readonly string[];
  /** The conversation begins before what is shown of it. Default: false. */
  hasEarlier?: boolean;
  /** What agents write whose messages are not here. Default: nothing. */
  activity?: Activity;
}

/** What the library gives to agents that name no prefix of their own; on every row it would mean nothing. */
const everyonesPrefix = "🤖";

/** The visible rows from top to bottom. A collapsed row carries the totals of its subtree. */
export function agentRows(source: RowSource): AgentRow[] {
  const rows: AgentRow[] = [];
  addRows(rows, source, { ids: source.tree.roots, level: 1, isUndone: false });
  return rows;
}

interface Siblings {
  ids: readonly string[];
  level: number;
  /** Their parent's work is undone, and theirs with it. */
  isUndone: boolean;
}

function addRows(rows: AgentRow[], source: RowSource, { ids, level, isUndone: isAbove }: Siblings): void {
  const calls = knownCalls(source, ids);
  for (const [index, id] of ids.entries()) {
    const node = source.tree.nodes[id];
    if (node === undefined) continue;
    const position = { level, position: index + 1, siblings: ids.length };
    const isUndone = isAbove || isMissing(node.meta.toolCallId, calls);
    const row = { ...rowOf(node, source, isUndone), ...position };
    rows.push(row);
    if (row.isExpanded === true) addRows(rows, source, { ids: node.children, level: level + 1, isUndone });
  }
}

/** An agent that no call started is in no conversation. */
function isMissing(callId: string | undefined, calls: ReadonlySet<string> | undefined): boolean {
  return callId !== undefined && calls !== undefined && !calls.has(callId);
}

/**
 * The calls in the conversation of the agents' parent; an agent whose call is not among them was started by a
 * message that a rewind removed. Undefined where that is unknown: only the root's conversation is rewound, and known whole.
 */
function knownCalls({ tree, hasEarlier }: RowSource, [first = ""]: readonly string[]): Set<string> | undefined {
  const parentId = tree.nodes[first]?.meta.parentId;
  const parent = parentId === undefined ? undefined : tree.nodes[parentId];
  if (hasEarlier === true || parent?.meta.depth !== 0) return undefined;
  const parts = parent.messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
  return new Set(parts.flatMap((part) => (part.type === "toolCall" ? [part.id] : [])));
}

function rowOf(
  node: TreeNode,
  source: RowSource,
  isUndone: boolean,
): Omit<AgentRow, "level" | "position" | "siblings"> {
  const isExpanded = node.children.length === 0 ? undefined : !source.collapsed.has(node.meta.id);
  const waitingFor =
    source.waiting.get(node.meta.id) ?? (isExpanded === false ? waitingBelow(node, source) : undefined);
  const status = node.status === "running" && waitingFor !== undefined ? "waiting" : node.status;
  const usage = isExpanded === false ? node.total : node.own;
  const tokens = tokensText(usage);
  const cost = formatCost(usage.cost) ?? "";
  const isCutOff = status === "aborted" && source.interrupted?.includes(node.meta.id) === true;
  const past = isUndone ? t("Undone by rewind") : isCutOff ? t("interrupted") : undefined;
  const parts = [waitingFor ?? past ?? statusTexts[status], tokens && t("{0} tokens", tokens), cost];
  return {
    id: node.meta.id,
    name: agentName(node.meta),
    prefix: node.meta.prefix === everyonesPrefix ? "" : node.meta.prefix,
    status,
    isUndone,
    live: past ?? liveLine(node, { status, waitingFor, writes: source.activity?.[node.meta.id] }),
    retry: status === "running" ? node.retry : undefined,
    tokens,
    cost,
    isExpanded,
    parentId: node.meta.parentId,
    nameDetails: parts.filter((part) => part !== "").join(", "),
  };
}

function tokensText(usage: Usage): string {
  const count = totalTokens(usage);
  return count === 0 ? "" : formatTokens(count);
}

/** Nothing waits unseen: a collapsed row shows that something below it needs an answer. */
function waitingBelow(node: TreeNode, { tree, waiting }: RowSource): string | undefined {
  for (const [agentId, reason] of waiting) if (isBelow(tree, agentId, node.meta.id)) return reason;
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

const maxLength = 100;

export interface LiveState {
  status: ShownStatus;
  waitingFor?: string | undefined;
  /** What it writes, where its messages do not say. */
  writes?: Activity[string] | undefined;
}

/** What an agent does now, in short, or its result. */
export function liveLine(node: TreeNode, { status, waitingFor = statusTexts.waiting, writes }: LiveState): string {
  switch (status) {
    case "waiting":
      return waitingFor;
    case "running":
      return latestActivity(node, writes);
    case "error":
      // The root agent's error is in a notice or in its transcript.
      return node.error === undefined || node.meta.depth === 0
        ? statusTexts.error
        : oneLine(node.error.message, maxLength);
    case "aborted":
    case "limit":
      return statusTexts[status];
    case "done":
      return summary(node);
    default:
      status satisfies never;
      return "";
  }
}

/** The running tool, else the newest text, else the tool that came last. */
function latestActivity(node: TreeNode, writes: LiveState["writes"]): string {
  const tools = Object.values(node.tools);
  const running = tools.findLast((tool) => tool.status === "running");
  if (running !== undefined) return toolLine(running);
  if (writes?.kind === "thinking") return t("thinking");
  if (writes !== undefined && writes.text.trim() !== "") return oneLine(plainLine(writes.text), maxLength);
  const newest = node.messages.findLast((message) => message.role !== "toolResult");
  const text = newest === undefined ? "" : lastLine(newest);
  if (text !== "") return text;
  const last = tools.at(-1);
  return last === undefined ? t("starting") : toolLine(last);
}

/** Of a file only its name: a row has room for little more. */
function toolLine(tool: Pick<ToolActivity, "toolName" | "label" | "args">): string {
  const [, name] = folderAndName(targetOf(tool.args));
  return oneLine(`${labelOf(tool.toolName, tool.label)} ${name}`, maxLength);
}

/** Of an answer that is being written, the line that grows is the news. */
function lastLine(message: AgentMessage): string {
  if (message.role !== "assistant") return "";
  const part = message.content.findLast((candidate) => candidate.type !== "toolCall" && candidate.text.trim() !== "");
  if (part?.type === "thinking" && part === message.content.at(-1)) return t("thinking");
  if (part?.type !== "text") return "";
  const tail = part.text.slice(-400).trimEnd();
  return oneLine(plainLine(tail.slice(tail.lastIndexOf("\n") + 1)), maxLength);
}

function summary(node: TreeNode): string {
  // What the calls did is no longer known after a rewind and its undo; that there were some is.
  const named = node.messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const inMessages = named.filter((part) => part.type === "toolCall").length;
  const calls = Math.max(Object.keys(node.tools).length, inMessages);
  return calls === 0 ? "" : plural(calls, t("{0} tool", calls), t("{0} tools", calls));
}
