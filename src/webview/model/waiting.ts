import { t } from "@vscode/l10n";
import { askersOf } from "../../protocol/hostEvents.ts";
import type { HostState } from "../../protocol/hostState.ts";

/** Who waits for the user, and in a few words for what; by agent id. */
export type Waiting = ReadonlyMap<string, string>;

export function waitingAgents({
  approvals,
  questions,
  runs,
}: Pick<HostState, "approvals" | "questions" | "runs">): Waiting {
  const waiting = new Map<string, string>();
  for (const { agentId, waitingId } of runs.questions) {
    waiting.set(waitingId, t("waits for a budget"));
    waiting.set(agentId, t("has used up its budget"));
  }
  for (const question of questions) waiting.set(question.agentId, t("has a question"));
  for (const { agentId } of approvals.flatMap(askersOf)) waiting.set(agentId, t("needs approval"));
  return waiting;
}
