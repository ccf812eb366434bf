import assert from "node:assert/strict";
import type { AgentEvent } from "../../../src/agent/index.ts";
import { WaitingTimes } from "../../../src/extension/chat/runs/waitingTimes.ts";
import type { Approval } from "../../../src/protocol/hostEvents.ts";

function ended(callId: string, durationMs: number): AgentEvent {
  return {
    ...{
      type: "tool_execution_end",
      callId,
      toolName: "edit_file",
      result: { content: "" },
      isError: false,
      durationMs,
    },
    ...{ agent: { id: "main", prefix: "", depth: 0 }, sessionId: "s", runId: "r", seq: 1, timestamp: 0 },
  };
}

const approval: Approval = { id: "a1", agentId: "main", agentPath: ["main"], callId: "c1", toolName: "t", files: [] };

describe("the time that a call waits for the user", () => {
  function started() {
    let now = 0;
    const times = new WaitingTimes(() => now);
    const timeOf = (callId: string, durationMs: number) => {
      const event = times.withoutWaiting(ended(callId, durationMs));
      return event.type === "tool_execution_end" ? event.durationMs : undefined;
    };
    return {
      times,
      timeOf,
      pass: (ms: number) => {
        now += ms;
      },
    };
  }

  it("is no time of its tool, also where it waits for several things at once", () => {
    const { times, timeOf, pass } = started();
    times.observe({ type: "approval_requested", approval });
    pass(1_000);
    const question = { id: "q1", agentId: "main", agentPath: [], callId: "c1", text: "", options: [] };
    times.observe({ type: "question_asked", question });
    pass(1_000);
    times.observe({ type: "approval_closed", approvalId: "a1", outcome: "accepted" });
    pass(1_000);
    times.observe({ type: "question_answered", questionId: "q1" });
    pass(500);
    assert.equal(timeOf("c1", 3_600), 600);
    assert.equal(timeOf("c2", 3_600), 3_600);
  });

  it("counts for each agent that wants the same from when it asks", () => {
    const { times, timeOf, pass } = started();
    times.observe({ type: "approval_requested", approval });
    pass(1_000);
    const others = [{ agentId: "edit", agentPath: ["main", "edit"], callId: "c2" }];
    times.observe({ type: "approval_requested", approval: { ...approval, others } });
    pass(2_000);
    times.observe({ type: "approval_closed", approvalId: "a1", outcome: "accepted" });
    assert.deepEqual([timeOf("c1", 3_100), timeOf("c2", 2_050)], [100, 50]);
  });

  it("ends with a call that was stopped while it waited", () => {
    const { times, timeOf, pass } = started();
    times.observe({ type: "approval_requested", approval });
    pass(2_000);
    assert.equal(timeOf("c1", 2_010), 10);
  });
});
