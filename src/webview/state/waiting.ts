import type { HostState } from "../../protocol/hostState.ts";

/** Who waits for the user, and in a few words for what; by agent id. */
export type Waiting = ReadonlyMap<string, string>;

export function waitingAgents({ approvals, questions }: Pick<HostState, "approvals" | "questions">): Waiting {
  const waiting = new Map<string, string>();
  for (const question of questions) waiting.set(question.agentId, "has a question");
  for (const approval of approvals) waiting.set(approval.agentId, "needs approval");
  return waiting;
}
