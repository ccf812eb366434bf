import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import type { ComparedRun } from "../../../protocol/hostEvents.ts";
import type { Intent } from "../../../protocol/intents.ts";
import { UserError } from "../../common/userError.ts";
import type { Isolation } from "../../isolation/isolation.ts";
import type { Chat } from "../chat.ts";
import { foldLog } from "../restore/restoredChat.ts";
import type { ChatAgentsDependencies } from "./chatAgents.ts";
import { isolatingChat } from "./delegationParts.ts";
import { retriedTask } from "./retriedTask.ts";

type IntentOf<Type extends Intent["type"]> = Extract<Intent, { type: Type }>;

interface CompareParts {
  chat: Chat;
  isolation: Isolation;
  agents: ChatAgentsDependencies;
}

/** Gives a task several times again, each in a worktree, to be compared. `model` in place of the one it would have. */
export async function runAgain(
  { chat, isolation }: CompareParts,
  { agentId, task, times }: IntentOf<"runAgain">,
  model: string | undefined,
): Promise<void> {
  chat.refuseWhileReadOnly();
  const { args } = retriedTask(chat, agentId);
  await isolation.check();
  const id = `compare_${randomUUID().slice(0, 8)}`;
  const written = task.trim() === "" ? args.task : task;
  const run = { state: "running" as const, ...(model !== undefined && { model }) };
  const title = args.title === "" ? args.task.slice(0, 80) : args.title;
  const runs = Array.from({ length: times }, () => run);
  chat.emit({ type: "comparison_changed", comparison: { id, agentId, title, runs } });
  try {
    await chat.retry({ args: { ...args, task: written }, compared: { id, times } });
  } catch (error) {
    // Without a run there is nothing to compare.
    const comparison = chat.host.comparisons.find((each) => each.id === id);
    if (comparison?.runs.every(isOpen)) {
      chat.emit({ type: "comparison_changed", comparison: { ...comparison, isClosed: true } });
    }
    throw error;
  }
}

function isOpen({ state, agentId }: ComparedRun): boolean {
  return state === "running" && agentId === undefined;
}

/** Proposes what a run changed on the user's files, and lets the agent know that delegated it. */
export async function useRun(
  { chat, isolation, agents }: CompareParts,
  { comparisonId, index }: IntentOf<"useRun">,
): Promise<void> {
  chat.refuseWhileReadOnly();
  const comparison = chat.host.comparisons.find(({ id }) => id === comparisonId);
  const run = comparison?.runs[index];
  const entries = chat.log.entriesAfter(0) ?? [];
  const { nodes } = foldLog(entries).tree;
  const agent = Object.values(nodes).find(({ meta }) => meta.id === run?.agentId)?.meta;
  if (agent === undefined || run?.files === undefined)
    throw new UserError(t("What this run changed is not stored any more."));
  // In a chat that was opened again, who works for whom is only in the log.
  for (const entry of entries) if ("agent" in entry) agents.paths.observe(entry.agent);
  const own = isolatingChat(chat, agents);
  const using = { tools: own.tools, agent, signal: chat.nextStop };
  const report = await isolation.comparisons.use(own, { comparisonId, index }, using);
  if (chat.rootId === undefined) return;
  const which = `run ${index + 1} of ${comparison?.runs.length} of the task ${JSON.stringify(comparison?.title)}`;
  agents.review.history.addEvent(
    chat.rootId,
    `The user compared several runs and chose ${which}. Of its change:\n${report}`,
  );
}

/** Forgets what was compared. */
export async function closeComparison(
  { chat, isolation, agents }: CompareParts,
  { comparisonId }: IntentOf<"closeComparison">,
): Promise<void> {
  chat.refuseWhileReadOnly();
  await isolation.comparisons.close(isolatingChat(chat, agents), comparisonId);
}
