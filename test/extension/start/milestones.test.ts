import assert from "node:assert/strict";
import { watchMilestones } from "../../../src/extension/start/milestones.ts";
import type { LogEntry } from "../../../src/protocol/messages.ts";

const ended = (reason: string, depth = 0) =>
  ({ seq: 1, agent: { type: "agent_end", reason, agent: { id: "a", depth }, messages: [] } }) as unknown as LogEntry;
const host = (event: object) => ({ seq: 1, host: event }) as unknown as LogEntry;

/** What is reached by an entry that comes twice. */
function firstOf(entry: LogEntry, isDemo: boolean): string | undefined {
  const reached: string[] = [];
  const watch = watchMilestones({ isDemo: () => isDemo, onReach: (milestone) => reached.push(milestone) });
  watch(entry);
  watch(entry);
  assert.ok(reached.length <= 1);
  return reached[0];
}

describe("what somebody who is new has done", () => {
  it("is a first answer, of the demo or of a model, from the main agent", () => {
    assert.equal(firstOf(ended("done"), true), "arbor.demoTried");
    assert.equal(firstOf(ended("done"), false), "arbor.modelAnswered");
    for (const entry of [ended("done", 1), ended("error"), ended("aborted")])
      assert.equal(firstOf(entry, false), undefined);
  });

  it("is an edit that was answered", () => {
    const decided = { type: "hunk_decided", approvalId: "a", hunkId: "h", decision: "accepted" };
    assert.equal(firstOf(host(decided), false), "arbor.editReviewed");
  });

  it("is a message to a sub-agent, and none to the main agent", () => {
    const queue = (item: object) =>
      host({ type: "queue_changed", items: [{ id: "m", text: "x", kind: "steering", ...item }] });
    assert.equal(firstOf(queue({ agentId: "b", to: "explore" }), false), "arbor.branchSteered");
    assert.equal(firstOf(queue({}), false), undefined);
  });
});
