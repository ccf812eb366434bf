import assert from "node:assert/strict";
import type { AgentEvent, EventBody } from "../../../../src/agent/types.ts";
import { emptyUsage } from "../../../../src/agent/vocabulary/usage.ts";
import { AwayNotices } from "../../../../src/extension/panel/status/awayNotices.ts";

function event(id: string, minute: number, body: EventBody): AgentEvent {
  const agent = { id, name: id, prefix: "", depth: id === "main" ? 0 : 1 };
  const base = { agent, sessionId: "s", runId: "r", seq: 1, timestamp: minute * 60_000 };
  // A body with its base is an event; the union does not distribute over the spread.
  return { ...base, ...body } as AgentEvent;
}

const ended = (reason: "done" | "error" | "aborted"): EventBody => ({
  ...{ type: "agent_end", reason, messages: [], usage: emptyUsage() },
});

function arrange() {
  const waiting: { id: string; agentPaths: string[][]; what: string }[] = [];
  const shown: string[] = [];
  const due: (() => void)[] = [];
  const state = { isLooking: false };
  const away = new AwayNotices({
    isLooking: () => state.isLooking,
    waiting: () => waiting,
    show: (text) => shown.push(text),
    later(run) {
      due.push(run);
      return () => due.splice(due.indexOf(run), 1);
    },
  });
  return {
    ...{ away, waiting, shown, state },
    ask(id: string) {
      waiting.push({ id, agentPaths: [["main", "edit"]], what: `src/${id}.ts` });
      away.update();
    },
    pass() {
      for (const run of due.splice(0)) run();
    },
    run(minutes: number, reason: "done" | "error" | "aborted" = "done", id = "main") {
      away.observe(event(id, 0, { type: "agent_start" }), () => "Refactor auth");
      away.observe(event(id, minutes, ended(reason)), () => "Refactor auth");
    },
  };
}

describe("a user who looks elsewhere", () => {
  it("is notified of what waits, once for many, and again after having looked", () => {
    const { away, ask, pass, shown, state } = arrange();
    ask("a");
    ask("b");
    assert.deepEqual(shown, [], "what comes at once is said at once");
    pass();
    assert.deepEqual(shown, ["Arbor: 2 requests wait for you"]);
    ask("c");
    pass();
    assert.equal(shown.length, 1);
    state.isLooking = true;
    away.look();
    state.isLooking = false;
    ask("d");
    pass();
    assert.deepEqual(shown.slice(1), ["Arbor: 4 requests wait for you"]);
  });

  it("says who waits for what where it is one, and nothing of what was answered meanwhile", () => {
    const { away, ask, pass, shown, waiting } = arrange();
    ask("a");
    pass();
    assert.deepEqual(shown, ["Arbor: main › edit waits for you: src/a.ts"]);
    away.look();
    ask("b");
    waiting.length = 0;
    away.update();
    pass();
    assert.equal(shown.length, 1);
  });

  it("is notified of the end of a long run, and not of a short one, of a stop or of a sub-agent's end", () => {
    const { run, pass, shown, away } = arrange();
    run(0.5);
    run(9, "aborted");
    run(9, "done", "explore");
    pass();
    assert.deepEqual(shown, []);
    run(2);
    pass();
    assert.deepEqual(shown, ["Arbor: Finished: Refactor auth"]);
    away.look();
    run(2, "error");
    pass();
    assert.deepEqual(shown.slice(1), ["Arbor: Failed: Refactor auth"]);
  });

  it("is left alone while the window is looked at, also if that begins a moment before", () => {
    const { ask, pass, run, shown, state } = arrange();
    state.isLooking = true;
    ask("a");
    run(5);
    pass();
    state.isLooking = false;
    ask("b");
    state.isLooking = true;
    pass();
    assert.deepEqual(shown, []);
  });
});
