import assert from "node:assert/strict";
import { emptyTree, foldTree } from "../../../src/agent/tree.ts";
import type { AgentEvent, EventBody } from "../../../src/agent/types.ts";
import { restoreChat } from "../../../src/extension/chat/restore/restoredChat.ts";
import { user } from "../../support/events.ts";

describe("the time of a run that the end of the editor cut off", () => {
  it("goes on until what is last known of it, not until its last message", () => {
    const at = (seq: number, timestamp: number, body: EventBody): AgentEvent => ({
      ...{ agent: { id: "main", prefix: "", depth: 0 }, sessionId: "s", runId: "r", seq, timestamp },
      ...body,
    });
    const message = { ...user("u1", "Go"), timestamp: 1_000 };
    const events = [
      at(1, 1_000, { type: "agent_start" }),
      at(2, 1_000, { type: "message_start", message }),
      at(3, 1_000, { type: "message_end", message }),
      at(4, 61_000, { type: "tool_execution_start", callId: "c1", toolName: "run_command", args: {} }),
    ];
    const entries = events.map((agent) => ({ seq: agent.seq, agent }));
    const { closing } = restoreChat({ id: "s", entries, lastSeq: 4, tellsInterruption: true, newId: () => "new" });
    const { main } = foldTree(emptyTree(), [...events, ...closing.agents]).nodes;
    assert.equal((main?.endedAt ?? 0) - (main?.startedAt ?? 0), 60_000);
  });
});
