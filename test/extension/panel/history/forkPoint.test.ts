import assert from "node:assert/strict";
import type { AgentEvent, AgentMessage } from "../../../../src/agent/index.ts";
import { forkPoint } from "../../../../src/extension/panel/history/historyActions.ts";
import type { LogEntry } from "../../../../src/protocol/messages.ts";
import { assistant, childMeta, eventSource, rootMeta, user } from "../../../support/events.ts";

function log(build: (say: (message: AgentMessage) => void, start: () => void) => void): LogEntry[] {
  const entries: LogEntry[] = [{ seq: 1, host: { type: "chat_titled", title: "A chat" } }];
  const next = eventSource();
  const add = (event: AgentEvent) => entries.push({ seq: entries.length + 1, agent: event });
  build(
    (message) => {
      add(next(rootMeta, { type: "message_start", message }));
      add(next(rootMeta, { type: "message_end", message }));
    },
    () => add(next(rootMeta, { type: "agent_start" })),
  );
  return entries;
}

describe("where a fork ends", () => {
  const twoRuns = log((say, start) => {
    start();
    say(user("u1", "one"));
    say(assistant("a1", "first"));
    start();
    say(user("u2", "two"));
    say(assistant("a2", "second"));
    say(user("u3", "three"));
  });

  it("is before the start of the run that the message began", () => {
    const point = forkPoint(twoRuns, "u2");
    assert.deepEqual([point?.seq, point?.isFirst], [7, false]);
    const entry = twoRuns.find(({ seq }) => seq === 7);
    assert.ok(entry !== undefined && "agent" in entry && entry.agent.type === "agent_start");
  });

  it("is before the message itself when it was delivered in the middle of a run", () => {
    const point = forkPoint(twoRuns, "u3");
    const entry = twoRuns.find(({ seq }) => seq === point?.seq);
    assert.ok(entry !== undefined && "agent" in entry && entry.agent.type === "message_start");
  });

  it("leaves nothing before the first message", () => {
    assert.deepEqual([forkPoint(twoRuns, "u1")?.isFirst, forkPoint(twoRuns, "u1")?.message.id], [true, "u1"]);
  });

  it("is nowhere for a message that the log does not have, that the model said, or that a sub-agent got", () => {
    const next = eventSource();
    const brief = next(childMeta, { type: "message_end", message: user("brief", "look") });
    assert.equal(forkPoint([...twoRuns, { seq: 99, agent: brief }], "brief"), undefined);
    assert.equal(forkPoint(twoRuns, "a1"), undefined);
    assert.equal(forkPoint(twoRuns, "other"), undefined);
  });

  it("can be found where only the ends of messages are saved", () => {
    const kept = twoRuns.filter((entry) => !("agent" in entry) || entry.agent.type !== "message_start");
    const point = forkPoint(kept, "u3");
    const entry = kept.find(({ seq }) => seq === point?.seq);
    assert.ok(entry !== undefined && "agent" in entry && entry.agent.type === "message_end");
  });
});
