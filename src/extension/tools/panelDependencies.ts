import type { AgentMeta } from "../../agent/types.ts";
import type { PlanItem } from "../../protocol/hostEvents.ts";

/** What an agent wants to know from the user. */
interface AskedQuestion {
  agent: AgentMeta;
  callId: string;
  text: string;
  /** Answers to choose from; the user may write another one. */
  options: readonly string[];
}

/** The panel as tools use it. */
export interface PanelDependencies {
  showPlan(agentId: string, items: readonly PlanItem[]): void;
  /** Waits for the answer, as long as it takes. An abort withdraws the question and rejects. */
  ask(question: AskedQuestion, signal: AbortSignal): Promise<string>;
}
