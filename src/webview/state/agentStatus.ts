import type { TreeNode } from "../../agent/types.ts";
import type { Approval } from "../../protocol/hostEvents.ts";
import { visible } from "../text/visible.ts";

/** A node's status as rows show it: one that needs an answer is waiting, whatever else it does. */
export type AgentStatus = TreeNode["status"] | "waiting";

export function agentStatus(node: TreeNode, approvals: readonly Approval[]): AgentStatus {
  const isWaiting = node.status === "running" && approvals.some((approval) => approval.agentId === node.meta.id);
  return isWaiting ? "waiting" : node.status;
}

/** The words for a status, for screen readers and tooltips: no meaning by colour alone. */
export const statusWords: Readonly<Record<AgentStatus, string>> = {
  running: "running",
  waiting: "needs approval",
  done: "done",
  error: "failed",
  aborted: "stopped",
  limit: "stopped at a limit",
};

export function agentName(meta: TreeNode["meta"]): string {
  return visible(meta.name ?? meta.label ?? (meta.depth === 0 ? "main" : "agent"));
}
