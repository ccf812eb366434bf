import type { AgentTree, TreeNode } from "../../../agent/types.ts";
import type { ReportCheck } from "../../../protocol/hostEvents.ts";
import type { HostState } from "../../../protocol/hostState.ts";
import { ownValue } from "../../../protocol/records.ts";
import { type Delegated, delegatedTo } from "../../model/delegation.ts";
import { totalTokens } from "../../text/format.ts";
import { targetOf } from "../../text/target.ts";

/** What an agent was asked, what it did for it, and what its parent got. */
interface Exchange {
  brief: string;
  /** Estimated. */
  briefTokens: number;
  /** Of the agent with all below it. */
  calls: number;
  filesRead: number;
  filesChanged: number;
  tokens: number;
  /** USD */
  cost: number;
  report: string | undefined;
  /** Why there is no report; undefined where there is one. */
  missing: "not yet" | "removed" | "none" | "not loaded" | undefined;
  /** Estimated. */
  reportTokens: number;
  /** Of what its work used, in percent; undefined where that is not known. */
  share: number | undefined;
  flag: ReportCheck["flag"];
  /** It can be asked for more. */
  canAsk: boolean;
}

export interface ExchangeSource {
  tree: AgentTree;
  host: Pick<HostState, "writtenEdits" | "reports">;
  /** The conversation begins before what is here of it. Default: false. */
  hasEarlier?: boolean;
}

/** Undefined for an agent that no call created. */
export function exchangeOf(agentId: string, { tree, host, hasEarlier = false }: ExchangeSource): Exchange | undefined {
  const node = ownValue(tree.nodes, agentId);
  if (node === undefined) return undefined;
  const check = ownValue(host.reports, agentId);
  const delegated = delegatedTo(tree, node);
  if (delegated === undefined) return undefined;
  const branch = branchOf(tree, node);
  const ids = new Set(branch.map(({ meta }) => meta.id));
  const tools = branch.flatMap((each) => Object.values(each.tools));
  const changed = new Set(
    host.writtenEdits.filter(({ agentId }) => ids.has(agentId)).flatMap(({ files }) => files.map(({ path }) => path)),
  );
  const named = new Set(tools.flatMap(({ args }) => targetOf(args).path ?? []));
  const { brief } = delegated;
  const report = check?.late ?? delegated.answer?.replace(note, "");
  const tokens = totalTokens(node.total);
  const reportTokens = estimatedTokens(report ?? "");
  const missing = report === undefined ? whyMissing(node, delegated.call, hasEarlier) : undefined;
  return {
    ...{ brief, briefTokens: estimatedTokens(brief), calls: tools.length },
    ...{ filesRead: [...named].filter((path) => !changed.has(path)).length, filesChanged: changed.size },
    ...{ tokens, cost: node.total.cost, report, missing, reportTokens },
    share: tokens === 0 || report === undefined ? undefined : Math.min(100, (100 * reportTokens) / tokens),
    flag: check?.flag,
    canAsk: node.status !== "running" && missing !== "removed",
  };
}

function whyMissing({ meta, status }: TreeNode, call: Delegated["call"], hasEarlier: boolean): Exchange["missing"] {
  if (status === "running" || call === "running") return "not yet";
  if (call === "ended") return "none";
  // What the root agent did is here from its first message on, of others only what was opened.
  return meta.depth === 1 && !hasEarlier ? "removed" : "not loaded";
}

/** The agent and all below it. */
function branchOf(tree: AgentTree, top: TreeNode): TreeNode[] {
  const branch = new Set([top]);
  for (const node of branch) for (const id of node.children) if (tree.nodes[id]) branch.add(tree.nodes[id]);
  return [...branch];
}

/** What is added for the parent's model to a report with a flag. */
const note = /\n*<report_check>[^<]*<\/report_check>/;

const charactersPerToken = 4;

function estimatedTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}
