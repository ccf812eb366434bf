import assert from "node:assert/strict";
import { emptyTree, foldTree } from "../../../src/agent/tree.ts";
import type { AgentEvent, AgentMeta, EventBody } from "../../../src/agent/types.ts";
import { restoreChat } from "../../../src/extension/chat/restore/restoredChat.ts";
import { assistant, user } from "../../support/events.ts";

const main: AgentMeta = { id: "main", prefix: "", depth: 0 };

function at(seq: number, timestamp: number, body: EventBody, agent = main): AgentEvent {
  return { agent, sessionId: "s", runId: "r", seq, timestamp, ...body };
}

describe("the time of a run that the end of the editor cut off", () => {
  it("goes on until what is last known of it, not until its last message", () => {
    const message = { ...user("u1", "Go"), timestamp: 1_000 };
    const events = [
      at(1, 1_000, { type: "agent_start" }),
      at(2, 1_000, { type: "message_start", message }),
      at(3, 1_000, { type: "message_end", message }),
      at(4, 61_000, { type: "tool_execution_start", callId: "c1", toolName: "run_command", args: {} }),
    ];
    const entries = events.map((agent) => ({ seq: agent.seq, agent }));
    const { closing } = restoreChat({ id: "s", entries, lastSeq: 4, showsInterruption: true, newId: () => "new" });
    const { main: node } = foldTree(emptyTree(), [...events, ...closing.agents]).nodes;
    assert.equal((node?.endedAt ?? 0) - (node?.startedAt ?? 0), 60_000);
  });

  it("goes on until the last word of an answer that has no end, and of a sub-agent's too", () => {
    const child: AgentMeta = { id: "child", prefix: "", depth: 1, parentId: "main", toolCallId: "c1" };
    const events = [
      at(1, 1_000, { type: "agent_start" }),
      at(2, 2_000, { type: "message_end", message: { ...user("u1", "Go"), timestamp: 2_000 } }),
      at(3, 3_000, { type: "agent_start" }, child),
    ];
    const entries = events.map((agent) => ({ seq: agent.seq, agent }));
    const message = { ...assistant("a1", ""), timestamp: 4_000 };
    const unfinished = [
      {
        events: [
          at(4, 4_000, { type: "message_start", message }, child),
          at(5, 5_000, { type: "message_update", messageId: "a1", delta: { type: "text_start", index: 0 } }, child),
          at(
            6,
            33_000,
            { type: "message_update", messageId: "a1", delta: { type: "text_delta", index: 0, delta: "S" } },
            child,
          ),
        ],
      },
    ];
    const { closing } = restoreChat({
      ...{ id: "s", entries, lastSeq: 6, unfinished },
      ...{ showsInterruption: true, newId: () => "new" },
    });
    const { nodes } = foldTree(emptyTree(), [...events, ...closing.agents]);
    const timeOf = (id: string) => (nodes[id]?.endedAt ?? 0) - (nodes[id]?.startedAt ?? 0);
    assert.deepEqual([timeOf("main"), timeOf("child")], [32_000, 30_000]);
  });
});
