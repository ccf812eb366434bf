import { t } from "@vscode/l10n";
import type { TreeNode } from "../../agent/types.ts";
import { visible } from "../text/visible.ts";
import type { Waiting } from "./waiting.ts";

/** A node's status as rows show it: one that needs an answer is waiting, whatever else it does. */
export type AgentStatus = TreeNode["status"] | "waiting";

export function agentStatus(node: TreeNode, waiting: Waiting): AgentStatus {
  return node.status === "running" && waiting.has(node.meta.id) ? "waiting" : node.status;
}

/** The words for a status, for screen readers and tooltips: no meaning by colour alone. */
export const statusWords: Readonly<Record<AgentStatus, string>> = {
  running: t("running"),
  waiting: t("waits for you"),
  done: t("done"),
  error: t("failed"),
  aborted: t("stopped"),
  limit: t("stopped at a limit"),
};

export function agentName(meta: TreeNode["meta"]): string {
  return visible(meta.name ?? meta.label ?? (meta.depth === 0 ? "main" : "agent"));
}
