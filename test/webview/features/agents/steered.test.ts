import assert from "node:assert/strict";
import { signal } from "@preact/signals";
import type { QueuedMessage } from "../../../../src/protocol/hostEvents.ts";
import { followSteering } from "../../../../src/webview/features/agents/steered.ts";
import { manualTiming } from "../../support/manualTiming.ts";

const message = (id: string, agentId?: string): QueuedMessage => ({
  ...{ id, text: "turn left", kind: "steering" },
  ...(agentId !== undefined && { to: "explore", agentId }),
});

describe("a message to an agent", () => {
  function following() {
    const queue = signal<readonly QueuedMessage[]>([]);
    const timing = manualTiming();
    const delivered = new Set<string>();
    const steered = followSteering(queue, { timing, isDelivered: (id) => delivered.has(id) });
    return { queue, timing, delivered, states: () => Object.fromEntries(steered.value) };
  }

  it("is pending until it is delivered, which is said for a moment", () => {
    const { queue, timing, delivered, states } = following();
    queue.value = [message("m1", "a"), message("m2")];
    assert.deepEqual(states(), { a: "pending" });
    delivered.add("m1");
    queue.value = [message("m2")];
    assert.deepEqual(states(), { a: "delivered" });
    timing.runLater();
    assert.deepEqual(states(), {});
  });

  it("stays pending as long as another one waits, and is not delivered to an agent that has ended", () => {
    const { queue, timing, delivered, states } = following();
    queue.value = [message("m1", "a"), message("m2", "a"), message("m3", "b")];
    delivered.add("m1");
    queue.value = [message("m2", "a"), message("m3", "b")];
    assert.deepEqual(states(), { a: "pending", b: "pending" });
    delivered.add("m2");
    queue.value = [];
    assert.deepEqual(states(), { a: "delivered" });
    queue.value = [message("m4", "a")];
    timing.runLater();
    assert.deepEqual(states(), { a: "pending" });
  });

  it("is not delivered when the user removes it, also beside one that is", () => {
    const { queue, delivered, states } = following();
    queue.value = [message("m1", "a")];
    queue.value = [];
    assert.deepEqual(states(), {});
    queue.value = [message("m2", "a"), message("m3", "a")];
    delivered.add("m2");
    queue.value = [];
    assert.deepEqual(states(), { a: "delivered" });
  });
});
