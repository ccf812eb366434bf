// Long because all that a row of the tree shows is decided here.
import { t } from "@vscode/l10n";
import type { AgentTree, PendingRetry, TreeNode } from "../../../agent/types.ts";
import type { ForeignAgent } from "../../../protocol/hostEvents.ts";
import type { HostState } from "../../../protocol/hostState.ts";
import type { PanelStatus } from "../../../protocol/messages.ts";
import { ownValue } from "../../../protocol/records.ts";
import { budgetFigures } from "../../../protocol/runs.ts";
import { agentName, agentStatus, agentTitle, type ShownStatus, statusTexts, type Waiting } from "../../model/agents.ts";
import type { Activity } from "../../model/chat.ts";
import { countsText } from "../../model/counts.ts";
import type { RunHistory } from "../../model/runs.ts";
import { usageSince } from "../../model/usage.ts";
import { formatCost, tokensText, totalTokens } from "../../text/format.ts";
import { branchesOf, type FinishedOf } from "./folding.ts";
import { liveLine } from "./liveLine.ts";
import type { Steered } from "./steered.ts";

/** One visible row of the agent tree; flat values only, so that a row is redrawn only when it changes. */
export interface AgentRow {
  id: string;
  /** Several agents in one row: those of an earlier run, or siblings that are done. */
  isGroup: boolean;
  /** What its work is, or else its name. */
  name: string;
  /** The agent's name, where the row is named by its work, and what else is true of it. */
  tag: string;
  /** Whether an agent of another program asks before it changes files, where there is no room for the tag. */
  badge: { supervision: ForeignAgent["supervision"]; text: string } | undefined;
  prefix: string;
  /** Of its name, as its file says. */
  color: string | undefined;
  status: ShownStatus;
  live: string;
  /** The user has paused it with all below it. */
  isPaused: boolean;
  /** Why it makes no request although it runs: it is queued, or paused with or without its parent. */
  halt: string | undefined;
  /** It writes a file that another agent at work knows, or the other way round. */
  collides: boolean;
  /** It makes no progress. */
  mark?: string;
  /** A rewind undid the call that started it. */
  isUndone: boolean;
  /** Replaces the live line as long as it lasts. */
  retry: PendingRetry | undefined;
  /** How full its context is, like `21%`. */
  context: string;
  /** Of its branch. */
  cost: string;
  /** How much of its budget is used, like `Budget 62%`; empty without one. */
  budget: string;
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
  /** Ids of the rows whose fold the user has changed: agents that are collapsed, groups that are expanded. */
  collapsed: ReadonlySet<string>;
  /** Ids of agents whose run the end of the editor cut off. Default: none. */
  interrupted?: readonly string[];
  /** By agent id: those that run in another program. Default: none. */
  foreign?: HostState["foreignAgents"];
  /** Ids of the agents that work in a worktree of their own. Default: none. */
  isolated?: readonly string[];
  /** Ids of the agents that are paused, each with all below it. Default: none. */
  paused?: readonly string[];
  /** Writes that met other agents at the same file. Default: none. */
  collisions?: HostState["collisions"];
  /** By agent id: reports with a flag. Default: none. */
  reports?: HostState["reports"];
  /** How full the agents' budgets are. Default: none has one. */
  budgets?: Pick<HostState["runs"], "budgets" | "uses">;
  /** Agents as their files describe them. */
  agents?: PanelStatus["agents"];
  /** The conversation begins before what is shown of it. Default: false. */
  hasEarlier?: boolean;
  /** What agents write whose messages are not here. Default: nothing. */
  activity?: Activity;
  /** What became of messages to agents. Default: none was sent. */
  steered?: ReadonlyMap<string, Steered>;
  /** When the runs of the chat began. Default: there was one. */
  runs?: RunHistory;
  /** Siblings in the order of their rows. Default: as they were spawned. */
  order?(siblings: readonly string[]): readonly string[];
  /** The agents that become one row in a run of many. Default: none. */
  finished?: FinishedOf;
}

/** What the library gives to agents that name no prefix of their own; on every row it would mean nothing. */
const everyonesPrefix = "🤖";

/** The visible rows from top to bottom. A collapsed row has the totals of its subtree. */
export function agentRows(source: RowSource): AgentRow[] {
  const rows: AgentRow[] = [];
  const isMissing = missingAgents(source);
  addRows(
    rows,
    { ...source, isMissing },
    { ids: source.tree.roots, level: 1, isUndone: false, hidden: noAgents, costliest: noAgents, groups: [] },
  );
  return rows;
}

const noAgents: ReadonlySet<string> = new Set();

interface Siblings {
  ids: readonly string[];
  level: number;
  /** Their parent's work is undone, and theirs with it. */
  isUndone: boolean;
  /** Those that are below a row of finished ones. */
  hidden: ReadonlySet<string>;
  /** Those that are done and are no part of that row, since no other cost more. */
  costliest: ReadonlySet<string>;
  /** Rows of several agents, which come after them. */
  groups: readonly Group[];
}

function addRows(
  rows: AgentRow[],
  source: RowSource & { isMissing: IsMissing },
  { ids, level, isUndone: isAbove, ...all }: Siblings,
): void {
  const { hidden, costliest, groups } = all;
  const shown = ids.filter((id) => !hidden.has(id));
  const siblings = shown.length + groups.length;
  for (const [index, id] of (source.order?.(shown) ?? shown).entries()) {
    const node = source.tree.nodes[id];
    if (node === undefined) continue;
    const isUndone = isAbove || source.isMissing(node);
    const own = rowOf(node, source, isUndone);
    const live = costliest.has(id) ? [t("highest cost"), own.live].filter((part) => part !== "").join(" · ") : own.live;
    const row = { ...own, live, level, position: index + 1, siblings };
    const below = { level: level + 1, isUndone, ...belowAgent(node, source, { hidden, costliest }) };
    const isLeaf = below.groups.length === 0 && below.ids.every((child) => below.hidden.has(child));
    rows.push(isLeaf ? { ...row, isExpanded: undefined } : row);
    if (row.isExpanded === true) addRows(rows, source, below);
  }
  for (const [index, group] of groups.entries()) {
    const isExpanded = source.collapsed.has(group.id);
    rows.push({ ...groupRow(group, source, isExpanded), level, position: shown.length + index + 1, siblings });
    const inside = { hidden: noAgents, costliest: noAgents, groups: [] };
    const below = { ids: group.ids, level: level + 1, isUndone: isAbove, ...inside };
    if (isExpanded) addRows(rows, source, below);
  }
}

/** Of the root agent: the agents of the latest run, and then what is folded into one row each. */
function belowAgent(node: TreeNode, source: RowSource, above: Pick<Siblings, "hidden" | "costliest">) {
  if (node.meta.depth > 0) return { ids: node.children, ...above, groups: [] };
  const { current, earlier } = runsOf(node, source);
  const groupId = `finished of ${node.meta.id}`;
  const { ids: finished, costliest } = source.finished?.(current, groupId) ?? { ids: [], costliest: noAgents };
  const group = finished.length === 0 ? [] : [finishedGroup(groupId, finished, node, source)];
  return { ids: current, hidden: new Set(finished), costliest, groups: [...group, ...earlier] };
}

/** Several agents that are shown as one row. */
interface Group {
  id: string;
  parentId: string;
  name: string;
  /** Those below its row; their branches are part of it. */
  ids: readonly string[];
  /** Default: how many there are and how they do. */
  live?: string;
}

/** The agents of the latest run, and those of each run before it, the latest first. */
function runsOf(node: TreeNode, { tree, runs }: RowSource): { current: readonly string[]; earlier: readonly Group[] } {
  if (node.meta.depth > 0 || runs === undefined || runs.starts.length === 0)
    return { current: node.children, earlier: [] };
  const byRun = new Map<number, string[]>();
  for (const id of node.children) {
    const startedAt = tree.nodes[id]?.startedAt ?? 0;
    // -1: of a run before the part of the conversation that is here.
    const run = runs.starts.findLastIndex((start) => start <= startedAt);
    byRun.set(run, [...(byRun.get(run) ?? []), id]);
  }
  const latest = runs.starts.length - 1;
  const earlier = [...byRun].filter(([run]) => run !== latest).sort(([a], [b]) => b - a);
  return {
    current: byRun.get(latest) ?? [],
    earlier: earlier.map(([run, ids]) => ({
      ...{ id: `run ${run + 1} of ${node.meta.id}`, parentId: node.meta.id },
      ...{ name: run < 0 ? t("Earlier runs") : t("Run {0}", run + 1), ids },
    })),
  };
}

function finishedGroup(id: string, ids: readonly string[], { meta }: TreeNode, { tree }: RowSource): Group {
  const nodes = ids.flatMap((agentId) => tree.nodes[agentId] ?? []);
  const tokens = nodes.reduce((sum, { total }) => sum + totalTokens(total), 0);
  const live = tokens === 0 ? "" : tokensText(tokens);
  return { id, parentId: meta.id, ids, name: t("{0} finished", branchesOf(tree, ids).length), live };
}

type Placed<Row> = Omit<Row, "level" | "position" | "siblings">;

function groupRow({ ids, ...group }: Group, source: RowSource, isExpanded: boolean): Placed<AgentRow> {
  const nodes = ids.flatMap((agentId) => source.tree.nodes[agentId] ?? []);
  const statuses = nodes.map((node) => agentStatus(node, source.waiting));
  const { live = countsText(statuses) } = group;
  const cost = formatCost(nodes.reduce((sum, { total }) => sum + total.cost, 0)) ?? "";
  const worst = (["waiting", "running", "error", "limit", "aborted"] as const).find((each) => statuses.includes(each));
  return {
    ...{
      ...group,
      live,
      isGroup: true,
      tag: "",
      prefix: "",
      color: undefined,
      badge: undefined,
      isExpanded,
      context: "",
      budget: "",
      isUndone: false,
    },
    ...{
      isPaused: false,
      halt: undefined,
      collides: false,
      status: worst ?? "done",
      retry: undefined,
      cost: cost && t("Σ {0}", cost),
    },
    nameDetails: [live, cost].filter((part) => part !== "").join(", "),
  };
}

type IsMissing = (node: TreeNode) => boolean;

/**
 * Whether the call that started an agent is not in the conversation of the root agent: a rewind removed it. Unknown of
 * those below, and where the conversation is not known whole.
 */
function missingAgents({ tree, hasEarlier }: RowSource): IsMissing {
  const calls = new Map<string, Set<string>>();
  return ({ meta }) => {
    const parent = tree.nodes[meta.parentId ?? ""];
    if (meta.toolCallId === undefined || hasEarlier === true || parent?.meta.depth !== 0) return false;
    const known = calls.get(parent.meta.id) ?? callsIn(parent);
    calls.set(parent.meta.id, known);
    return !known.has(meta.toolCallId);
  };
}

function callsIn({ messages }: TreeNode): Set<string> {
  const parts = messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
  return new Set(parts.flatMap((part) => (part.type === "toolCall" ? [part.id] : [])));
}

function rowOf(node: TreeNode, source: RowSource, isUndone: boolean): Placed<AgentRow> {
  const { meta } = node;
  const isParent = node.children.length > 0;
  const isExpanded = isParent ? !source.collapsed.has(meta.id) : undefined;
  const waitingFor = source.waiting.get(meta.id) ?? (isExpanded === false ? waitingBelow(node, source) : undefined);
  const status = waitingFor === undefined ? node.status : "waiting";
  // Time and cost of the root are both of its latest run.
  const usage = meta.depth === 0 ? usageSince(node.total, source.runs?.before) : node.total;
  const ofBranch = (text: string) => (isParent && text !== "" ? t("Σ {0}", text) : text);
  const cost = ofBranch(formatCost(usage.cost) ?? "");
  const tokens = totalTokens(usage);
  const isCutOff = status === "aborted" && source.interrupted?.includes(meta.id) === true;
  const past = isUndone ? t("Undone by rewind") : isCutOff ? t("interrupted") : undefined;
  const working = node.children.flatMap((id) => {
    const child = source.tree.nodes[id];
    return child?.status === "running" ? [child] : [];
  });
  const name = agentTitle(meta);
  const foreign = source.foreign?.[meta.id];
  const badge = foreign === undefined ? "" : badgeText(foreign);
  const isolated = source.isolated?.includes(meta.id) ? t("Isolated") : "";
  const tag = [name === agentName(meta) ? "" : agentName(meta), badge, isolated]
    .filter((part) => part !== "")
    .join(" · ");
  const unknown = foreign?.reported.tokens === false ? t("tokens not reported") : "";
  const tokensPart = tokens === 0 ? unknown : ofBranch(tokensText(tokens));
  const isPaused = source.paused?.includes(meta.id) === true;
  const halt = status === "running" ? haltText(node, source) : undefined;
  // Also while the write waits for the user, who is to know.
  const isAtWork = status === "running" || status === "waiting";
  const collides = isAtWork && collisionsAt(meta.id, source).length > 0;
  const writes = source.activity?.[meta.id];
  // The deltas that would end the wait reach the panel only for an agent that is open.
  const retry = status === "running" && writes === undefined && !isQueued(node, source) ? node.retry : undefined;
  const state = waitingFor ?? past ?? halt ?? statusTexts[status];
  const flag = status === "done" ? source.reports?.[meta.id]?.flag : undefined;
  const flagged = flag && flagTexts[flag];
  const use = source.budgets && fullestBudget(meta, source.budgets);
  const parts = [
    tag,
    state,
    flagged ?? "",
    collides ? t("works on a file of another agent") : "",
    tokensPart,
    cost,
    use?.text ?? "",
  ];
  return {
    ...{ id: meta.id, isGroup: false, name, tag, status, isUndone, cost, isExpanded, parentId: meta.parentId },
    badge: foreign && { supervision: foreign.supervision, text: badge },
    ...{
      isPaused,
      halt,
      collides,
      budget: use === undefined ? "" : t("Budget {0}%", use.percent),
    },
    prefix: meta.prefix === everyonesPrefix ? "" : meta.prefix,
    color: source.agents?.find((agent) => agent.name === meta.name)?.color,
    live:
      past ??
      steeredText(source.steered?.get(meta.id), status) ??
      halt ??
      flagged ??
      liveLine(node, { status, waitingFor, writes, working }),
    retry,
    context: node.contextPercent > 0 ? t("{0}%", Math.round(node.contextPercent)) : "",
    nameDetails: parts.filter((part) => part !== "").join(", "),
  };
}

/** How much of the budget is used of which the least is left. What every run has by the settings is worth no word. */
function fullestBudget(
  { id, depth }: TreeNode["meta"],
  { budgets, uses }: Pick<HostState["runs"], "budgets" | "uses">,
) {
  const use = ownValue(uses, id);
  if (use === undefined || (depth === 0 && budgets.tree === undefined)) return undefined;
  const shares = budgetFigures.map((figure) => use.used[figure] / (use.allowed[figure] ?? Number.POSITIVE_INFINITY));
  const percent = Math.round(100 * Math.max(...shares));
  const used = t("{0}% of its budget used", percent);
  return { percent, text: use.isUncounted ? `${used}, ${t("cost not counted")}` : used };
}

const flagTexts = {
  empty: t("report is empty"),
  cut: t("report is cut off"),
  pointer: t("report only points elsewhere"),
} as const;

/** What is true of an agent of another program: whether it asks before it changes your files. */
export function badgeText({ supervision }: ForeignAgent): string {
  switch (supervision) {
    case "guarded":
      return t("guarded");
    case "asks":
      return t("asks first");
    case "sandboxed":
      return t("sandboxed");
    default:
      return t("unsupervised");
  }
}

/** What the user said to an agent comes before what it does. */
function steeredText(steered: Steered | undefined, status: ShownStatus): string | undefined {
  if (steered === undefined || status !== "running") return undefined;
  return steered === "pending" ? t("message pending") : t("message delivered");
}

/** Why an agent that runs makes no request; undefined where it is at work. */
export function haltText(node: TreeNode, source: Pick<RowSource, "paused" | "tree" | "activity">): string | undefined {
  const { paused = [], tree } = source;
  const { id } = node.meta;
  if (paused.includes(id)) return t("paused");
  if (paused.some((each) => isBelow(tree, id, each))) return t("paused with its parent");
  return isQueued(node, source) ? t("queued") : undefined;
}

/** Others come first: no more requests are sent at once than the settings allow. */
function isQueued({ meta, retry }: TreeNode, { activity }: Pick<RowSource, "activity">): boolean {
  return retry?.error === "" && activity?.[meta.id] === undefined;
}

/** The writes that an agent takes part in, as long as it works. */
function collisionsAt(agentId: string, { collisions = [], tree }: RowSource): HostState["collisions"] {
  const isAtWork = (id: string) => tree.nodes[id]?.status === "running";
  return collisions.filter(({ agentId: writer, others }) =>
    writer === agentId
      ? others.some((other) => isAtWork(other.agentId))
      : isAtWork(writer) && others.some((other) => other.agentId === agentId),
  );
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
