import type { AgentEvent } from "../../../agent/index.ts";
import { askersOf, type HostEvent } from "../../../protocol/hostEvents.ts";

/** How long calls waited for the user, which is no time of their tools. */
export class WaitingTimes {
  readonly #now: () => number;
  /** By the id of what waits: the calls that wait for it. */
  readonly #callsOf = new Map<string, readonly string[]>();
  readonly #waits = new Map<string, { open: number; since: number; totalMs: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  observe(event: HostEvent): void {
    switch (event.type) {
      case "approval_requested":
        // With another agent that wants the same, the approval comes again.
        this.#end(event.approval.id);
        if (event.approval.isInterrupted !== true) {
          this.#begin(
            event.approval.id,
            askersOf(event.approval).map(({ callId }) => callId),
          );
        }
        break;
      case "question_asked":
        this.#begin(event.question.id, [event.question.callId]);
        break;
      case "approval_closed":
        this.#end(event.approvalId);
        break;
      case "question_answered":
        this.#end(event.questionId);
        break;
      default:
    }
  }

  /** The event, with how long its tool itself took. */
  withoutWaiting(event: AgentEvent): AgentEvent {
    if (event.type !== "tool_execution_end") return event;
    const wait = this.#waits.get(event.callId);
    if (wait === undefined) return event;
    this.#waits.delete(event.callId);
    const waitedMs = wait.totalMs + (wait.open > 0 ? this.#now() - wait.since : 0);
    return { ...event, durationMs: Math.max(0, event.durationMs - waitedMs) };
  }

  #begin(id: string, callIds: readonly string[]): void {
    this.#callsOf.set(id, callIds);
    for (const callId of callIds) {
      const { open, since, totalMs } = this.#waits.get(callId) ?? { open: 0, since: 0, totalMs: 0 };
      this.#waits.set(callId, { open: open + 1, since: open === 0 ? this.#now() : since, totalMs });
    }
  }

  #end(id: string): void {
    for (const callId of this.#callsOf.get(id) ?? []) {
      const wait = this.#waits.get(callId);
      if (wait === undefined) continue;
      wait.open--;
      if (wait.open === 0) wait.totalMs += this.#now() - wait.since;
    }
    this.#callsOf.delete(id);
  }
}
