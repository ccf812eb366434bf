import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import type { Intent } from "../../../protocol/intents.ts";
import { UserError } from "../../common/userError.ts";
import type { Isolation } from "../../isolation/isolation.ts";
import type { Chat } from "../chat.ts";
import { foldLog } from "../restore/restoredChat.ts";
import { type ChatAgentsDependencies, isolatingChat } from "./chatAgents.ts";
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
  const { args } = retriedTask(chat, agentId);
  await isolation.check();
  const id = `compare_${randomUUID().slice(0, 8)}`;
  const written = task.trim() === "" ? args.task : task;
  const run = { state: "running" as const, ...(model !== undefined && { model }) };
  const title = args.title === "" ? args.task.slice(0, 80) : args.title;
  const runs = Array.from({ length: times }, () => run);
  chat.emit({ type: "comparison_changed", comparison: { id, agentId, title, runs } });
  await chat.retry({ args: { ...args, task: written }, compared: { id, times } });
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
  // In a chat that was opened again it is not known yet who works for whom.
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
export function closeComparison(
  { chat, isolation, agents }: CompareParts,
  { comparisonId }: IntentOf<"closeComparison">,
): Promise<void> {
  return isolation.comparisons.close(isolatingChat(chat, agents), comparisonId);
}
