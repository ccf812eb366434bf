import assert from "node:assert/strict";
import { runLoop } from "../../../src/agent/agent/runLoop.ts";
import { limitsEffect } from "../../../src/agent/loop/limits.ts";
import { type AgentLogEntry, logFromEvents } from "../../../src/agent/tree/log.ts";
import type { LimitName } from "../../../src/agent/vocabulary/events.ts";
import { textOf, userMessage } from "../../../src/agent/vocabulary/messages.ts";
import { createScope } from "../../../src/agent/vocabulary/scope.ts";
import { collect, ofType, recordedAgent, results, said, tool } from "../../support/agents.ts";
import { call, scriptedModel, text } from "../../support/scriptedModel.ts";

const look = tool("look");
/** Calls a tool forever, saying something and spending a dollar each time. */
const busy = (n: number) =>
  Array.from({ length: n }, (_one, index) => ({
    ...call("look"),
    text: `step ${index}`,
    usage: { input: 10, cost: 1 },
  }));

describe("limits", () => {
  it("D8: past the greatest depth an agent makes no request and is completed by force", async () => {
    const scope = createScope({ maxDepth: 0 }).child("above");
    const { agent, events, requests } = recordedAgent([], { onLimit: "forceComplete" });
    const run = await agent.prompt("hi", { scope });
    assert.equal(requests.length, 0);
    assert.deepEqual([run.reason, run.limit], ["limit", "depth"]);
    assert.match(String(run.result), /max depth exceeded/);
    assert.equal(ofType(events, "limit_reached")[0]?.limit, "depth");
  });

  it("D9: past the greatest spend likewise; exactly at it is still allowed", async () => {
    const scope = createScope({ maxSpend: 1 });
    scope.charge(1);
    const { agent, requests } = recordedAgent([text("ok")], { onLimit: "forceComplete" });
    assert.equal((await agent.prompt("hi", { scope })).reason, "done");
    scope.charge(0.01);
    const run = await agent.prompt("more", { scope });
    assert.deepEqual([run.reason, run.limit], ["limit", "spend"]);
    assert.match(String(run.result), /max spend/);
    assert.equal(requests.length, 1);
  });

  it("D13: maxTurns n makes exactly n requests and then completes by force", async () => {
    const { agent, requests } = recordedAgent(busy(5), { maxTurns: 3, onLimit: "forceComplete", tools: [look] });
    const run = await agent.prompt("hi");
    assert.equal(requests.length, 3);
    assert.deepEqual([run.reason, run.limit, run.result], ["limit", "turns", "step 2"]);
  });

  for (const [how, options, limit] of [
    ["its own cost", { maxCost: 1.5 }, "cost"],
    ["the tree's spend", { maxSpend: 1.5 }, "spend"],
    ["its tokens", { maxTokens: 15 }, "tokens"],
  ] as const) {
    it(`D14: above ${how} no further request is made`, async () => {
      const { agent, events, requests } = recordedAgent(busy(5), {
        ...options,
        onLimit: "forceComplete",
        tools: [look],
      });
      const run = await agent.prompt("hi");
      assert.equal(requests.length, 2);
      assert.deepEqual([run.reason, run.limit], ["limit", limit]);
      assert.equal(ofType(events, "limit_reached").length, 1);
    });
  }

  it("D14: a cost equal to the limit is still allowed", async () => {
    const { agent, requests } = recordedAgent(busy(5), { maxCost: 1, onLimit: "forceComplete", tools: [look] });
    await agent.prompt("hi");
    assert.equal(requests.length, 2);
  });

  it("D15: when a limit ends the run, the calls of the last turn are answered", async () => {
    const { agent } = recordedAgent(busy(5), { maxTurns: 2, onLimit: "forceComplete", tools: [look] });
    await agent.prompt("hi");
    assert.equal(results(agent.messages).length, 2);
    assert.equal(agent.messages.at(-1)?.role, "toolResult");
  });

  it("D16: a forced completion is marked, has the best last text and is logged", async () => {
    const entries: AgentLogEntry[] = [];
    const { agent } = recordedAgent(busy(5), { maxTurns: 2, onLimit: "forceComplete", tools: [look] });
    agent.subscribe(logFromEvents((entry) => entries.push(entry)));
    const run = await agent.prompt("hi");
    assert.deepEqual([run.reason, run.result, run.error], ["limit", "step 1", undefined]);
    assert.equal(entries.filter((entry) => entry.action === "forced_complete").length, 1);
  });

  for (const [limit, options, code, message] of [
    ["iterations", { maxIterations: 1 }, "max_iterations", /max iterations exceeded/],
    ["turns", { maxTurns: 1 }, "limit", /max turns exceeded/],
    ["cost", { maxCost: 0.5 }, "limit", /limits exceeded/],
    ["spend", { maxSpend: 0.5 }, "limit", /max spend/],
  ] as const) {
    it(`By default the limit on ${limit} is an error with code "${code}"`, async () => {
      const { agent, events } = recordedAgent(busy(3), { ...options, tools: [look] });
      await assert.rejects(agent.prompt("hi"), { code, message });
      assert.equal(ofType(events, "limit_reached")[0]?.limit satisfies LimitName | undefined, limit);
      assert.equal(ofType(events, "agent_end")[0]?.reason, "error");
    });
  }

  it("Turn and cost limits count per run, and usage that was handed in does not count", async () => {
    const { agent } = recordedAgent([...busy(1), text("a"), ...busy(1), text("b")], {
      maxTurns: 2,
      maxCost: 1.5,
      tools: [look],
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 100 },
    });
    assert.equal((await agent.prompt("hi")).reason, "done");
    assert.equal((await agent.prompt("more")).reason, "done");
  });

  it("A run that has finished when it reaches its limit is done; what is queued stays queued", async () => {
    const { agent, requests } = recordedAgent([text("ok")], { maxTurns: 1 });
    agent.followUp("later");
    assert.equal((await agent.prompt("hi")).reason, "done");
    assert.equal(agent.hasQueued, true);
    assert.equal(requests.length, 1);
  });

  it("onLimit may extend: the limit is granted once more each time", async () => {
    const asked: LimitName[] = [];
    const { agent, requests } = recordedAgent([...busy(4), text("done")], {
      maxTurns: 2,
      tools: [look],
      onLimit: async (limit) => {
        asked.push(limit);
        return "extend";
      },
    });
    assert.equal((await agent.prompt("hi")).reason, "done");
    assert.deepEqual(asked, ["turns", "turns"]);
    assert.equal(requests.length, 5);
  });

  it("onLimit may extend the spend of the tree, as often as it takes", async () => {
    const asked: LimitName[] = [];
    const { agent } = recordedAgent([...busy(3), text("done")], {
      maxSpend: 1.5,
      tools: [look],
      onLimit: async (limit) => {
        asked.push(limit);
        return "extend";
      },
    });
    assert.equal((await agent.prompt("hi")).reason, "done");
    assert.deepEqual(asked, ["spend"]);
  });

  it("onLimit may let an agent run that is too deep", async () => {
    const scope = createScope({ maxDepth: 0 }).child("above");
    const { agent } = recordedAgent([call("look"), text("done")], { tools: [look], onLimit: async () => "extend" });
    assert.equal((await agent.prompt("hi", { scope })).reason, "done");
  });

  it("onLimit may wrap up: one last request that says so, whose calls are not run", async () => {
    let executed = 0;
    const { agent, requests } = recordedAgent([...busy(1), { ...call("look"), text: "summing up" }], {
      maxTurns: 1,
      tools: [tool("look", () => String(++executed))],
      onLimit: async () => "wrapUp",
    });
    const run = await agent.prompt("hi");
    assert.deepEqual([run.reason, run.limit, run.result], ["limit", "turns", "summing up"]);
    assert.match(said(requests[1]?.messages ?? []).at(-1) ?? "", /last message/);
    assert.ok(said(agent.messages).every((line) => !/last message/.test(line)));
    assert.equal(executed, 1);
    assert.equal(results(agent.messages).length, 2);
  });

  it("onLimit may stop: the run ends with the best text", async () => {
    const { agent, requests } = recordedAgent(busy(3), { maxTurns: 1, tools: [look], onLimit: async () => "stop" });
    const run = await agent.prompt("hi");
    assert.deepEqual([run.reason, run.result, requests.length], ["limit", "step 0", 1]);
  });

  it("An abort while onLimit is being answered ends the run as aborted", async () => {
    const { agent } = recordedAgent(busy(2), {
      maxTurns: 1,
      tools: [look],
      onLimit() {
        void agent.abort();
        return new Promise(() => {});
      },
    });
    await assert.rejects(agent.prompt("hi"), { code: "aborted" });
  });

  it("In a bare loop, limitsEffect is effect and hooks", async () => {
    const { model, streamFn, requests } = scriptedModel(busy(5));
    const limits = limitsEffect({ maxTurns: 2 });
    const context = { systemPrompt: "", messages: [], tools: [look] };
    const config = { model, streamFn, hooks: limits, effects: [limits] };
    const { events, result } = await collect(runLoop([userMessage("hi")], context, config));
    assert.equal(requests.length, 2);
    assert.equal(result.reason, "limit");
    assert.equal(ofType(events, "limit_reached")[0]?.limit, "turns");
    assert.equal(result.finalMessage && textOf(result.finalMessage), "step 1");
  });
});
