import { t } from "@vscode/l10n";
import type { AgentTree, TreeNode } from "../../agent/types.ts";
import { askersOf } from "../../protocol/hostEvents.ts";
import type { HostState } from "../../protocol/hostState.ts";
import { visible } from "../text/visible.ts";

/** A node's status as rows show it: one that needs an answer is waiting, also when its run was cut off before that. */
export type ShownStatus = TreeNode["status"] | "waiting";

export function agentStatus(node: TreeNode, waiting: Waiting): ShownStatus {
  return waiting.has(node.meta.id) ? "waiting" : node.status;
}

/** The text of a status, for screen readers and tooltips: no meaning by colour alone. */
export const statusTexts: Readonly<Record<ShownStatus, string>> = {
  running: t("running"),
  waiting: t("waiting for you"),
  done: t("done"),
  error: t("failed"),
  aborted: t("stopped"),
  limit: t("stopped at a limit"),
};

export function agentName(meta: TreeNode["meta"]): string {
  return visible(meta.name ?? meta.label ?? (meta.depth === 0 ? "main" : "agent"));
}

/** What an agent's work is, in a few words; the agent's name where that is not known. */
export function agentTitle(meta: TreeNode["meta"]): string {
  return meta.label === undefined || meta.label === "" ? agentName(meta) : visible(meta.label);
}

/** An agent as what waits for the user names it. */
export interface NamedAgent {
  agentId: string;
  /** Names from the root agent down. */
  agentPath: readonly string[];
}

/** Whose something is: the titles of the work below the root agent, or the agents' names where there are none. */
export function agentPathText(tree: AgentTree, { agentId, agentPath }: NamedAgent): string {
  const titles: string[] = [];
  let hasTitle = false;
  // The length of the path ends the walk even if a damaged log made a circle.
  for (let node = tree.nodes[agentId]; node !== undefined && node.meta.depth > 0 && titles.length < 100; ) {
    titles.unshift(agentTitle(node.meta));
    hasTitle ||= node.meta.label !== undefined;
    node = tree.nodes[node.meta.parentId ?? ""];
  }
  return (hasTitle ? titles : agentPath.map(visible)).join(" › ");
}

/** Who waits for the user, and in short for what; by agent id. */
export type Waiting = ReadonlyMap<string, string>;

export function waitingAgents({
  approvals,
  questions,
  runs,
}: Pick<HostState, "approvals" | "questions" | "runs">): Waiting {
  const waiting = new Map<string, string>();
  for (const { agentId, waitingId } of runs.questions) {
    waiting.set(waitingId, t("budget reached"));
    waiting.set(agentId, t("budget reached"));
  }
  for (const question of questions) waiting.set(question.agentId, t("has a question"));
  for (const { agentId } of approvals.flatMap(askersOf)) waiting.set(agentId, t("needs approval"));
  return waiting;
}
