import { effect, type ReadonlySignal, signal } from "@preact/signals";
import type { QueuedMessage } from "../../../protocol/hostEvents.ts";
import type { PanelTiming } from "../../timing.ts";

/** What became of a message to a sub-agent. */
export type Steered = "pending" | "delivered";

const shownMs = 4_000;

/** By agent id: whether a message to it still waits, or has just been delivered. */
export function followSteering(
  queue: ReadonlySignal<readonly QueuedMessage[]>,
  { timing, isDelivered }: { timing: Pick<PanelTiming, "later">; isDelivered(messageId: string): boolean },
): ReadonlySignal<ReadonlyMap<string, Steered>> {
  const steered = signal<ReadonlyMap<string, Steered>>(new Map());
  let before: ReadonlyMap<string, string> = new Map();

  function set(agentId: string, state: Steered | undefined): void {
    const next = new Map(steered.peek());
    if (state === undefined) next.delete(agentId);
    else next.set(agentId, state);
    steered.value = next;
  }

  effect(() => {
    const items = queue.value.flatMap(({ id, agentId }) => (agentId === undefined ? [] : [[id, agentId] as const]));
    const now = new Map(items);
    const waiting = new Set(now.values());
    for (const [id, agentId] of now) if (!before.has(id)) set(agentId, "pending");
    for (const [id, agentId] of before) {
      if (now.has(id) || waiting.has(agentId)) continue;
      // Otherwise the user removed it, or the agent ended first.
      if (isDelivered(id)) set(agentId, "delivered");
      else if (steered.peek().get(agentId) === "pending") set(agentId, undefined);
      timing.later(() => {
        if (steered.peek().get(agentId) === "delivered") set(agentId, undefined);
      }, shownMs);
    }
    before = now;
  });
  return steered;
}
