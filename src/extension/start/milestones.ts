import type { LogEntry } from "../../protocol/messages.ts";

/** Context keys of what the user has done for the first time in this window; the steps of the walkthrough wait for them. */
type Milestone =
  /** The demo has answered. */
  | "arbor.demoTried"
  /** A real model has answered. */
  | "arbor.modelAnswered"
  /** A proposed edit was accepted or rejected. */
  | "arbor.editReviewed"
  /** A message went to a sub-agent at work. */
  | "arbor.branchSteered";

export interface MilestonesOptions {
  /** Whether the demo answers now. */
  isDemo(): boolean;
  /** Called once for each. */
  onReach(milestone: Milestone): void;
}

/** Watches the entries of all chats' logs. */
export function watchMilestones({ isDemo, onReach }: MilestonesOptions): (entry: LogEntry) => void {
  const reached = new Set<Milestone>();
  return (entry) => {
    const milestone = milestoneOf(entry, isDemo);
    if (milestone === undefined || reached.has(milestone)) return;
    reached.add(milestone);
    onReach(milestone);
  };
}

function milestoneOf(entry: LogEntry, isDemo: () => boolean): Milestone | undefined {
  if ("agent" in entry) {
    const { agent } = entry;
    const isAnswer = agent.type === "agent_end" && agent.agent.depth === 0 && agent.reason === "done";
    if (!isAnswer) return undefined;
    return isDemo() ? "arbor.demoTried" : "arbor.modelAnswered";
  }
  const { host } = entry;
  if (host.type === "hunk_decided") return "arbor.editReviewed";
  // A message to the main agent has no agent's id.
  const isToSubAgent = host.type === "queue_changed" && host.items.some(({ agentId }) => agentId !== undefined);
  return isToSubAgent ? "arbor.branchSteered" : undefined;
}
