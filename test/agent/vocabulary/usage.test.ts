import assert from "node:assert/strict";
import { Agent } from "../../../src/agent/agent/agent.ts";
import {
  addUsage,
  contextPercent,
  contextTokens,
  costOf,
  emptyUsage,
  type Usage,
} from "../../../src/agent/vocabulary/usage.ts";
import { collect, ofType, recordedAgent, tool } from "../../support/agents.ts";
import { byAgent, call, fail, scriptedModel, testModel, text } from "../../support/scriptedModel.ts";

const usage = (more: Partial<Usage>): Usage => ({ ...emptyUsage(), ...more });
const full = usage({ input: 10, output: 4, cacheRead: 3, cacheWrite: 2, reasoning: 1, cost: 0.5 });

describe("usage", () => {
  it("A38: all figures are added to the agent and every ancestor; a child has only its own", async () => {
    const childUsage: Usage[] = [];
    const { agent } = recordedAgent(
      byAgent({ main: [call("spawn"), text("done", { usage: full })], child: [text("ok", { usage: full })] }),
      {
        systemPrompt: "main",
        tools: [
          tool("spawn", async (_args, context) => {
            const child = context.subAgents.create({ systemPrompt: "child" });
            await child.prompt("go");
            childUsage.push(child.usage, child.ownUsage);
            return "ok";
          }),
        ],
      },
    );
    const run = await agent.prompt("hi");
    assert.deepEqual(childUsage, [full, full]);
    assert.deepEqual(agent.ownUsage, full);
    assert.deepEqual(agent.usage, addUsage(full, full));
    assert.deepEqual(run.usage, agent.usage);
  });

  it("A39: usage that a tool reports counts for owner and ancestors, and changes neither context nor transcript", async () => {
    const { agent, events } = recordedAgent([call("ask"), text("done", { usage: { input: 100 } })], {
      tools: [
        tool("ask", (_args, context) => {
          context.reportUsage({ input: 900, cost: 2 });
          return "asked";
        }),
      ],
    });
    await agent.prompt("hi");
    assert.equal(agent.usage.input, 1_000);
    assert.equal(agent.contextPercent(), 10);
    const [reported] = ofType(events, "usage");
    assert.deepEqual([reported?.delta.cost, reported?.contextTokens, reported?.contextPercent], [2, 0, 0]);
    assert.equal(agent.messages.length, 4);
  });

  for (const [input, window, percent] of [
    [0, 1_000, 0],
    [4, 1_000, 0],
    [5, 1_000, 1],
    [994, 1_000, 99],
    [995, 1_000, 100],
    [2_000, 1_000, 100],
    [500, 0, 0],
  ] as const) {
    it(`A40: ${input} of ${window} tokens are ${percent} percent`, () => {
      assert.equal(contextPercent(usage({ input, output: 999 }), { ...testModel, contextWindow: window }), percent);
    });
  }

  it("A40: without a window or without usage it is 0; only the agent's own latest request matters", async () => {
    const { contextWindow: _, ...boundless } = testModel;
    assert.equal(contextPercent(usage({ input: 500 }), boundless), 0);
    assert.equal(contextPercent(undefined, testModel), 0);
    const { agent } = recordedAgent(
      byAgent({
        main: [call("spawn", {}), text("ok", { usage: { input: 200 } })],
        child: [text("ok", { usage: { input: 900 } })],
      }),
      {
        systemPrompt: "main",
        tools: [
          tool("spawn", async (_args, context) => {
            await context.subAgents.create({ systemPrompt: "child" }).prompt("go");
            return "ok";
          }),
        ],
      },
    );
    await agent.prompt("hi");
    assert.equal(agent.contextPercent(), 20);
    assert.deepEqual(agent.contextUsage(), { used: 200, total: 1_000 });
  });

  it("A41: cached tokens are part of the context, once", () => {
    assert.equal(contextTokens(usage({ input: 100, cacheRead: 50, cacheWrite: 25 })), 175);
  });

  it("A42: turns() is a copy that begins with the system prompt, and can be taken while running", async () => {
    const { agent } = recordedAgent([text("ok"), fail("no")], { systemPrompt: "be brief" });
    agent.send("hi");
    assert.equal(agent.turns().length, 2);
    await agent.waitForIdle();
    const turns = agent.turns();
    assert.deepEqual(turns[0], { role: "system", text: "be brief" });
    (turns as unknown[]).length = 0;
    assert.equal(agent.turns().length, 3);
  });

  it("A42: turns() leaves out failed requests, messages holds them", async () => {
    const { agent } = recordedAgent([fail("no")]);
    await assert.rejects(agent.prompt("hi"));
    assert.equal(agent.turns().length, 2);
    assert.equal(agent.messages.length, 2);
  });

  it("A43: run() gives the last turn's message, not an earlier text, and throws on abort and error", async () => {
    const { agent } = recordedAgent([{ ...text("thinking aloud"), ...call("look") }, text(""), fail("no")], {
      tools: [tool("look")],
    });
    const last = await agent.run("hi");
    assert.deepEqual(
      last.content.filter((part) => part.type === "text" && part.text !== ""),
      [],
    );
    await assert.rejects(agent.run("more"), /no/);
    await assert.rejects(agent.run("more", { signal: AbortSignal.abort("stop") }), { code: "aborted" });
  });

  it("A44: a message that waits for a running agent is reported as queued and as delivered, within the same stream", async () => {
    const { agent } = recordedAgent([call("look"), text("one"), text("two")], {
      tools: [
        tool("look", () => {
          agent.followUp("later");
          return "ok";
        }),
      ],
    });
    const { events } = await collect(agent.send("hi"));
    const updates = ofType(events, "queue_update");
    assert.deepEqual(
      updates.map(({ followUp, delivered }) => [followUp, delivered?.role]),
      [
        [1, undefined],
        [0, "user"],
      ],
    );
    assert.equal(ofType(events, "agent_end").length, 1);
  });

  it("E1: a new agent is idle with nothing spent, or with the usage it was given", () => {
    const { model, streamFn } = scriptedModel([]);
    const fresh = new Agent({ model, streamFn });
    assert.equal(fresh.status, "idle");
    assert.equal(fresh.state.turnIndex, 0);
    assert.deepEqual(fresh.messages, []);
    assert.deepEqual(fresh.usage, emptyUsage());
    assert.deepEqual(new Agent({ model, streamFn, usage: full }).usage, full);
  });

  it("E7: the end of a run has the final message and what the run spent", async () => {
    const { agent, events } = recordedAgent([call("look"), text("ok", { usage: full })], {
      tools: [tool("look")],
      usage: full,
    });
    await agent.prompt("hi");
    const end = ofType(events, "agent_end")[0];
    assert.equal(end?.finalMessage?.stopReason, "stop");
    assert.deepEqual(end?.usage, full);
  });

  it("E8: a finished request with usage reports it once: delta, running totals, context", async () => {
    const { agent, events } = recordedAgent([text("ok", { usage: full })], { usage: full });
    await agent.prompt("hi");
    const told = ofType(events, "usage");
    assert.equal(told.length, 1);
    const { delta, own, total, contextTokens: tokens } = told[0] ?? assert.fail();
    assert.deepEqual([delta, own, total, tokens], [full, addUsage(full, full), addUsage(full, full), 15]);
  });

  for (const id of ["E9", "D36"]) {
    it(`${id}: cost follows the price per million tokens, caches included; without a price it is 0`, async () => {
      const tokens = usage({ input: 1_000, output: 500, cacheRead: 200, cacheWrite: 100 });
      assert.equal(costOf(tokens, { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }), 0.010935);
      assert.equal(costOf(tokens, undefined), 0);
      const kept = usage({ cacheWrite: 1_000_000, cacheWriteHour: 600_000 });
      assert.equal(costOf(kept, { input: 4, output: 20, cacheWrite: 5 }), 6.8);
      const { agent } = recordedAgent([
        text("a", { usage: { input: 1_000 } }),
        text("b", { usage: { output: 1_000 } }),
      ]);
      await agent.prompt("hi");
      await agent.prompt("more");
      assert.equal(agent.usage.cost.toFixed(6), "0.003000");
    });
  }

  it("E9: a cost that the provider reports is taken as it is, nonsense is not", async () => {
    const { agent } = recordedAgent([
      text("a", { usage: { input: 1_000, cost: 7 } }),
      text("b", { usage: { input: Number.NaN, output: -5 } }),
    ]);
    await agent.prompt("hi");
    await agent.prompt("more");
    assert.deepEqual(agent.usage, usage({ input: 1_000, cost: 7 }));
  });
});
