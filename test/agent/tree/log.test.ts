import assert from "node:assert/strict";
import { type AgentLogEntry, logFromEvents } from "../../../src/agent/tree/log.ts";
import type { AgentMeta, EventBody } from "../../../src/agent/vocabulary/events.ts";
import { emptyUsage } from "../../../src/agent/vocabulary/usage.ts";
import { assistant, childMeta, eventSource, rootMeta } from "../../support/events.ts";

function logOf(...bodies: (EventBody | [AgentMeta, EventBody])[]): AgentLogEntry[] {
  const entries: AgentLogEntry[] = [];
  const listener = logFromEvents((entry) => entries.push(entry));
  const next = eventSource();
  for (const body of bodies) listener(Array.isArray(body) ? next(...body) : next(rootMeta, body));
  return entries;
}

const request = (cost: number): EventBody[] => [
  { type: "message_start", message: assistant("a", "") },
  { type: "message_end", message: assistant("a", "yes") },
  spent(cost),
];
const spent = (cost: number): EventBody => ({
  type: "usage",
  delta: { ...emptyUsage(), cost },
  own: emptyUsage(),
  total: emptyUsage(),
  contextTokens: 0,
  contextPercent: 0,
});
const toolStart = (callId: string): EventBody => ({
  type: "tool_execution_start",
  callId,
  toolName: "t",
  args: { n: 1 },
});
const toolEnd = (callId: string): EventBody => ({
  type: "tool_execution_end",
  callId,
  toolName: "t",
  result: { content: "ok" },
  isError: false,
  durationMs: 3,
});
const end = (reason: "done" | "limit"): EventBody => ({ type: "agent_end", reason, messages: [], usage: emptyUsage() });
const below = (bodies: EventBody[]): [AgentMeta, EventBody][] => bodies.map((body) => [childMeta, body]);
const actions = (entries: AgentLogEntry[]) => entries.map((entry) => `${entry.agentName}:${entry.action}`);

/** A run with one tool call, then one call of an agent. */
const run = logOf(
  { type: "agent_start" },
  { type: "turn_start", index: 0 },
  ...request(1),
  toolStart("tool"),
  toolEnd("tool"),
  { type: "turn_start", index: 1 },
  ...request(2),
  toolStart("call"),
  ...below([{ type: "agent_start" }, { type: "turn_start", index: 0 }, ...request(4), end("done")]),
  toolEnd("call"),
  { type: "turn_start", index: 2 },
  ...request(8),
  end("done"),
);

describe("logFromEvents", () => {
  it("D34: writes the steps of a run with a tool call and a nested agent in their order", () => {
    assert.deepEqual(actions(run), [
      "main:agent_start",
      "main:llm_call",
      "main:tool_call",
      "main:llm_call",
      "main:agent_call",
      "explore:agent_start",
      "explore:llm_call",
      "explore:agent_complete",
      "main:llm_call",
      "main:agent_complete",
    ]);
  });

  it("D33: every entry says where and when it happened, nested ones also where from", () => {
    for (const entry of run) {
      assert.deepEqual([entry.traceId, entry.timestamp], ["s", "1970-01-01T00:00:00.000Z"]);
      assert.equal(entry.parentTrace, entry.agentName === "explore" ? "s" : undefined);
      assert.equal(entry.depth, entry.agentName === "explore" ? 1 : 0);
    }
    assert.deepEqual(
      run.filter((entry) => entry.action === "llm_call").map((entry) => entry.turn),
      [0, 1, 0, 2],
    );
    assert.deepEqual(run[2]?.data, { callId: "tool", toolName: "t", args: { n: 1 }, isError: false, durationMs: 3 });
  });

  it("D35: the costs of the entries add up to what was spent, by tools as well", () => {
    assert.equal(
      run.reduce((sum, entry) => sum + entry.cost, 0),
      15,
    );
    const withTool = logOf({ type: "agent_start" }, ...request(1), toolStart("tool"), spent(2), toolEnd("tool"));
    assert.equal(
      withTool.reduce((sum, entry) => sum + entry.cost, 0),
      3,
    );
  });

  it("D34: writes a request once, whether its usage comes before its end, after it or not at all", () => {
    const [start, finish, usage] = request(1);
    assert.ok(start && finish && usage);
    for (const order of [
      [start, finish, usage],
      [start, usage, finish],
      [start, finish],
    ]) {
      const entries = logOf({ type: "agent_start" }, ...order, end("done"));
      assert.deepEqual(actions(entries), ["main:agent_start", "main:llm_call", "main:agent_complete"]);
    }
  });

  it("D34: writes a validation between the result and the end", () => {
    const verdict: EventBody = { type: "validation", attempt: 1, valid: false, feedback: "too short" };
    const entries = logOf({ type: "agent_start" }, ...request(1), verdict, end("done"));
    assert.deepEqual(actions(entries).slice(2), ["main:validation", "main:agent_complete"]);
    assert.deepEqual(entries[2]?.data, { attempt: 1, valid: false, feedback: "too short" });
  });

  it("D16: writes a forced completion before the end of a run that a limit ended", () => {
    const entries = logOf({ type: "agent_start" }, { type: "limit_reached", limit: "turns" }, end("limit"));
    assert.deepEqual(actions(entries), ["main:agent_start", "main:forced_complete", "main:agent_complete"]);
    assert.deepEqual(entries[1]?.data, { limit: "turns" });
  });

  it("D16: writes no forced completion for a limit that was extended", () => {
    const entries = logOf(
      { type: "agent_start" },
      { type: "limit_reached", limit: "turns" },
      ...request(1),
      end("done"),
    );
    assert.ok(!actions(entries).includes("main:forced_complete"));
  });

  it("D33: uses the trace id it is given", () => {
    const entries: AgentLogEntry[] = [];
    logFromEvents((entry) => entries.push(entry), { traceId: "t" })(eventSource()(rootMeta, { type: "agent_start" }));
    assert.equal(entries[0]?.traceId, "t");
  });
});
