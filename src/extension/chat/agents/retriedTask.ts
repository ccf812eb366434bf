import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import { type Agent, type AssistantMessage, type Model, type TreeNode, userMessage } from "../../../agent/index.ts";
import { taskTitle } from "../../../agent/toolkits/delegation.ts";
import { openCallsOf } from "../../../agent/vocabulary/pause.ts";
import { isRecord, ownValue } from "../../../protocol/records.ts";
import { UserError } from "../../common/userError.ts";
import type { Chat } from "../chat.ts";
import { foldLog } from "../restore/restoredChat.ts";

/** What a sub-agent was given, for another one that starts with the same. */
export interface RetriedTask {
  /** As `delegate_to_agent` takes them. */
  args: { agent: string; title: string; task: string; context: string };
  /** In place of the model that it would have. */
  model?: Model;
  /** It is done several times, to be compared. */
  compared?: { id: string; times: number };
}

/** The task of a sub-agent that has ended. Throws a `UserError` where it can't be given again now. */
export function retriedTask(chat: Pick<Chat, "log" | "isRunning" | "isInterrupted">, agentId: string): RetriedTask {
  if (chat.isRunning) throw new UserError(t("Wait until the run has ended, or stop it. Then retry."));
  if (chat.isInterrupted) throw new UserError(t("Resume the run first. It goes on with the agents that were cut off."));
  const { nodes } = foldLog(chat.log.entriesAfter(0) ?? []).tree;
  const node = ownValue(nodes, agentId);
  const parent = ownValue(nodes, node?.meta.parentId ?? "");
  const args = node && parent && taskArguments(node, parent, nodes);
  if (args === undefined) throw new UserError(t("The task of this agent is not known any more."));
  return { args };
}

function taskArguments(
  { meta }: TreeNode,
  parent: TreeNode,
  nodes: Readonly<Record<string, TreeNode>>,
): RetriedTask["args"] | undefined {
  const given = ownValue(parent.tools, meta.toolCallId ?? "")?.args;
  if (!isRecord(given)) return undefined;
  const siblings = parent.children.filter((id) => nodes[id]?.meta.toolCallId === meta.toolCallId);
  const tasks: unknown[] = Array.isArray(given.tasks) ? given.tasks : [given];
  // Agents start in the order of their tasks unless one was refused, or they are isolated: then its title says which.
  const titled = tasks.filter((each) => isTitled(each, meta));
  const indexed = Array.isArray(given.tasks) ? tasks[siblings.indexOf(meta.id)] : given;
  const task = titled.length === 0 || titled.includes(indexed) ? indexed : titled[0];
  if (!isRecord(task) || typeof task.task !== "string" || meta.name === undefined) return undefined;
  if (task.agent !== meta.name) return undefined;
  const context = typeof task.context === "string" ? task.context : "";
  return { agent: meta.name, title: meta.label ?? "", task: task.task, context };
}

function isTitled(task: unknown, { name, label }: TreeNode["meta"]): boolean {
  if (!isRecord(task) || task.agent !== name || typeof task.task !== "string") return false;
  const title = typeof task.title === "string" ? { title: task.title } : {};
  return taskTitle({ task: task.task, ...title }) === label;
}

/**
 * Adds the delegation to the agent's conversation as if it had called for it, with a message that says why. Where the
 * agent continues, the call runs, and it goes on with the result.
 */
export function addRetry(agent: Agent, { args, compared }: RetriedTask): void {
  if (openCallsOf(agent.messages) !== undefined)
    throw new UserError(t("Resume the run first. It goes on with the agents that were cut off."));
  const { id, provider } = agent.state.model;
  const title = args.title === "" ? args.task.slice(0, 200) : args.title;
  const task = { ...args, isolation: "worktree" };
  const toolCall =
    compared === undefined
      ? { id: `retry_${randomUUID().slice(0, 8)}`, name: "delegate_to_agent", arguments: args }
      : { id: compared.id, name: "spawn_agents", arguments: { tasks: Array(compared.times).fill(task) } };
  const call: AssistantMessage = {
    ...{ role: "assistant", id: randomUUID(), model: id, provider, stopReason: "toolUse", timestamp: Date.now() },
    content: [{ type: "toolCall", ...toolCall }],
  };
  const reason = compared === undefined ? t("Retry: {0}", title) : t("Run again: {0}", title);
  agent.addMessage([userMessage(reason), call]);
}

/** An agent with those that it started, and those that they did. */
interface Branch {
  agentId: string;
  name: string;
}

/** Throws a `UserError` where the chat has no such agent, and while one of the branch works. */
export function branchOf(chat: Pick<Chat, "log">, agentId: string): Branch {
  const { nodes } = foldLog(chat.log.entriesAfter(0) ?? []).tree;
  const root = ownValue(nodes, agentId);
  if (root === undefined) throw new UserError(t("This agent is not in the chat any more."));
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.status === "running") throw new UserError(t("Stop these agents first, then undo their changes."));
    open.push(...node.children.flatMap((id) => nodes[id] ?? []));
  }
  const { label = "", name } = root.meta;
  return { agentId, name: label === "" ? (name ?? t("main")) : label };
}
