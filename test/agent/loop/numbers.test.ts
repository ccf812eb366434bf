import assert from "node:assert/strict";
import { mock } from "node:test";
import * as z from "zod";
import { Agent } from "../../../src/agent/agent/agent.ts";
import { timeout } from "../../../src/agent/agent/middleware.ts";
import { runLoop } from "../../../src/agent/agent/runLoop.ts";
import { limitsEffect } from "../../../src/agent/loop/limits.ts";
import { startTimer } from "../../../src/agent/vocabulary/abort.ts";
import { userMessage } from "../../../src/agent/vocabulary/messages.ts";
import { createScope } from "../../../src/agent/vocabulary/scope.ts";
import { defineTool } from "../../../src/agent/vocabulary/tools.ts";
import { shown, testAgent } from "../../support/scriptedAgents.ts";
import { call, scriptedModel, text } from "../../support/scriptedModel.ts";

const dayMs = 86_400_000;

describe("A time that the platform's timers do not know", () => {
  const slow = defineTool({
    name: "slow",
    description: "Takes a moment.",
    schema: z.object({}),
    execute: () => new Promise<string>((resolve) => setTimeout(() => resolve("finished"), 20)),
  });

  for (const ms of [2 ** 31, 1e15, Number.POSITIVE_INFINITY]) {
    it(`lets tools and runs take their time: ${ms} ms`, async () => {
      const options = { tools: [slow], toolTimeoutMs: ms, middleware: [timeout(ms)] };
      const { agent, requests } = testAgent([call("slow"), text("done")], options);
      const { reason } = await agent.prompt("go");
      assert.equal(reason, "done");
      assert.equal(shown(requests[1]).at(-1), "finished");
    });
  }

  it("passes in full before what it was started for is run", () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const pass = (days: number) => {
        for (let day = 0; day < days; day++) mock.timers.tick(dayMs);
      };
      const run = mock.fn();
      const stopped = mock.fn();
      startTimer(60 * dayMs, run);
      const stop = startTimer(60 * dayMs, stopped);
      pass(59);
      assert.equal(run.mock.callCount(), 0);
      stop();
      pass(5);
      assert.deepEqual([run.mock.callCount(), stopped.mock.callCount()], [1, 0]);
    } finally {
      mock.timers.reset();
    }
  });
});

describe("A limit that is no number of anything", () => {
  const scripted = () => scriptedModel([text("an answer")]);
  const limits = ["maxTurns", "maxCost", "maxTokens", "maxIterations", "maxDepth", "maxSpend"] as const;
  const others = ["toolTimeoutMs", "abortGraceMs", "turnRetries"] as const;
  for (const name of [...limits, ...others]) {
    for (const value of [Number.NaN, -1]) {
      it(`is refused by an agent: ${name} ${value}`, () => {
        const { model, streamFn } = scripted();
        assert.throws(() => new Agent({ model, streamFn, [name]: value }), { code: "bad_input" });
        assert.throws(() => new Agent({ model, streamFn, [name]: value }), new RegExp(`${name}.*${value}`));
      });
    }
  }

  it("is refused by the effect, the scope and the middleware that take one", () => {
    assert.throws(() => limitsEffect({ maxTurns: -1 }), { code: "bad_input" });
    assert.throws(() => createScope({ maxSpend: Number.NaN }), { code: "bad_input" });
    assert.throws(() => timeout(Number.NaN), { code: "bad_input" });
  });

  it("ends a bare loop as failed before any request", async () => {
    const { model, streamFn, requests } = scripted();
    const context = { systemPrompt: "", messages: [], tools: [] };
    const stream = runLoop([userMessage("go")], context, { model, streamFn, maxIterations: Number.NaN });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    const { reason, error } = await stream.result;
    assert.deepEqual([reason, error?.code, requests.length], ["error", "bad_input", 0]);
    assert.deepEqual(types, ["agent_start", "agent_end"]);
  });

  it("is unlimited where it is 0, absent or infinite", () => {
    const { model, streamFn } = scripted();
    for (const maxTurns of [0, 1, Number.POSITIVE_INFINITY]) new Agent({ model, streamFn, maxTurns });
    new Agent({ model, streamFn });
  });
});
