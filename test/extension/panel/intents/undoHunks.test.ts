import assert from "node:assert/strict";
import {
  createIntentHandler,
  type IntentDependencies,
} from "../../../../src/extension/panel/intents/intentHandlers.ts";
import type { Panel } from "../../../../src/extension/panel/panel.ts";

async function undo(left: number) {
  const events: string[] = [];
  const failures: unknown[] = [];
  const authors = [{ agentIds: ["m"], agentPath: ["main"], editId: "1" }];
  // All that undoing needs.
  const parts = {
    conversation: { current: { steer: () => false } },
    review: {
      history: { addEvent: (id: string, event: string) => events.push(`${id}: ${event}`) },
      hunks: { undo: async () => ({ left, conflicts: [{ path: "a.ts", line: 3 }], authors, paths: ["a.ts"] }) },
    },
  } as unknown as IntentDependencies;
  const handle = createIntentHandler(
    () => parts,
    (error) => failures.push(error instanceof Error ? error.message : error),
  );
  handle({ type: "undoHunks", hunkIds: ["h"], reason: "too long" }, {} as Panel);
  await new Promise((resolve) => setImmediate(resolve));
  return { events, failures };
}

describe("why edits are undone", () => {
  it("reaches who wrote them, unless nothing was undone", async () => {
    assert.deepEqual(await undo(0), {
      events: ["m: The user undid your edits in a.ts, and says why: too long"],
      failures: [],
    });
    assert.deepEqual(await undo(1), { events: [], failures: ["a.ts:3 kept: its lines have changed since"] });
  });
});
