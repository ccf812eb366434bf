import assert from "node:assert/strict";
import type { AgentEvent } from "../../../../src/agent/types.ts";
import { EventLog } from "../../../../src/extension/chat/log/eventLog.ts";
import { Channel } from "../../../../src/extension/panel/channel/channel.ts";
import { LiveLines } from "../../../../src/extension/panel/channel/liveLines.ts";
import type { HostMessage } from "../../../../src/protocol/messages.ts";
import { assistant, childMeta, eventSource, rootMeta, textDelta } from "../../../support/events.ts";
import { receivedMessage, panelStatus as status } from "../../../support/hostMessages.ts";

describe("the lines of agents that no one opened", () => {
  const next = eventSource();
  const observing = (...events: AgentEvent[]) => {
    const lines = new LiveLines();
    for (const agent of events) lines.observe({ seq: agent.seq, agent });
    return lines;
  };

  it("are the last that has words, short however long the text is", () => {
    const lines = observing(
      next(childMeta, textDelta("a", "first\n")),
      next(childMeta, textDelta("a", `second ${"x".repeat(5_000)}`)),
    );
    assert.equal(lines.take()[childMeta.id]?.text.length, 200);
    lines.observe({ seq: 3, agent: next(childMeta, textDelta("a", "\nthird\n\n")) });
    assert.deepEqual(lines.take(), { [childMeta.id]: { kind: "text", text: "third" } });
    assert.equal(lines.hasNews, false);
  });

  it("begin again with another message, and end with a tool or the agent", () => {
    const lines = observing(next(childMeta, textDelta("a", "one ")), next(childMeta, textDelta("b", "two")));
    assert.equal(lines.take()[childMeta.id]?.text, "two");
    lines.observe({ seq: 3, agent: next(childMeta, textDelta("b", " three")) });
    const started = { type: "tool_execution_start" as const, callId: "c", toolName: "look", args: {} };
    lines.observe({ seq: 4, agent: next(childMeta, started) });
    assert.deepEqual(lines.take(), {});
  });

  it("say that an answer has begun before it has words", () => {
    const begun = { type: "toolcall_start", index: 0, callId: "c", toolName: "look" } as const;
    const lines = observing(next(childMeta, { type: "message_update", messageId: "a", delta: begun }));
    assert.deepEqual(lines.take(), { [childMeta.id]: { kind: "text", text: "" } });
    lines.observe({ seq: 2, agent: next(childMeta, { type: "message_update", messageId: "a", delta: begun }) });
    assert.equal(lines.hasNews, false);
  });

  it("are sent at most four times a second, and not for an agent whose deltas are", async () => {
    const log = new EventLog();
    log.appendAgent(next(rootMeta, { type: "agent_start" }));
    log.appendAgent(next(childMeta, { type: "agent_start" }));
    log.appendAgent(next(childMeta, { type: "message_start", message: assistant("a", "") }));
    const transcriptOf = () => ({ messages: [], upToSeq: 0 });
    const chat = { id: "chat", log, draft: { text: "", attachments: [] }, transcriptOf };
    const posts: HostMessage[] = [];
    const channel = new Channel(chat, { postMessage: (json) => posts.push(receivedMessage(json)) });
    channel.resume(undefined, status);
    const startedAt = Date.now();
    const write = async (count: number) => {
      for (let index = 0; index < count; index++) {
        log.appendAgent(next(childMeta, textDelta("a", `word ${index} `)));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    const activity = () => posts.filter(({ type }) => type === "activity");
    await write(60);
    const most = Math.ceil((Date.now() - startedAt) / 250);
    assert.ok(activity().length >= 1 && activity().length <= most, `${activity().length} of at most ${most}`);
    await channel.openAgent(childMeta.id);
    posts.length = 0;
    await write(40);
    assert.equal(activity().length, 0);
    channel.dispose();
  });
});
