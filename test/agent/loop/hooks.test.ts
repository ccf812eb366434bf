import assert from "node:assert/strict";
import * as z from "zod";
import { runLoop } from "../../../src/agent/agent/runLoop.ts";
import { AgentError } from "../../../src/agent/vocabulary/errors.ts";
import type { Effect, ExtendedHooks, IterationInfo, LoopHooks, TurnInfo } from "../../../src/agent/vocabulary/hooks.ts";
import { type AgentMessage, userMessage } from "../../../src/agent/vocabulary/messages.ts";
import { defineTool } from "../../../src/agent/vocabulary/tools.ts";
import { collect, ofType, recordedAgent, results, said, tool, typesOf } from "../../support/agents.ts";
import { call, calls, fail, scriptedModel, testModel, text } from "../../support/scriptedModel.ts";

const otherModel = { ...testModel, id: "other" };

/** A message of an application, as declaration merging would bring it into the union. */
const note = { role: "note", id: "n", text: "shown to the user only" } as unknown as AgentMessage;

describe("hooks", () => {
  it("a call runs with the arguments that a hook gives it, which the schema and the other hooks see", async () => {
    const ran: unknown[] = [];
    const asked: unknown[] = [];
    const schema = z.object({ path: z.string() });
    const look = defineTool({ name: "look", description: "Looks.", schema, execute: (args) => String(ran.push(args)) });
    const given = [
      { args: { path: "b" } },
      { args: { path: 1 } },
      { block: true as const, reason: "not here" },
      undefined,
    ];
    const hooks: ExtendedHooks = {
      reviseCall: () => given.shift(),
      beforeToolCall: ({ args }) => void asked.push(args),
    };
    const script = [...given.map(() => call("look", { path: "a" })), text("ok")];
    const { agent } = recordedAgent(script, { tools: [look], hooks });
    await agent.prompt("hi");
    assert.deepEqual(ran, [{ path: "b" }, { path: "a" }]);
    assert.deepEqual(asked, ran);
    const [, invalid = "", blocked] = results(agent.messages);
    assert.match(invalid, /A hook gave "look" invalid arguments/);
    assert.equal(blocked, "not here");
  });

  it("C36: transformContext runs before each request, before the projection, and changes no transcript", async () => {
    const order: string[] = [];
    const { agent, requests } = recordedAgent([call("a"), text("ok")], {
      tools: [tool("a")],
      hooks: {
        transformContext(messages) {
          order.push("transform");
          return messages.slice(-1);
        },
        convertToLlm(messages) {
          order.push(`convert ${messages.length}`);
          return messages.filter((message) => message.role === "user");
        },
      },
    });
    await agent.prompt("hi");
    assert.deepEqual(order, ["transform", "convert 1", "transform", "convert 1"]);
    assert.deepEqual(
      requests.map((request) => request.messages.length),
      [1, 0],
    );
    assert.equal(agent.messages.length, 4);
  });

  it("C37: messages of an application stay in transcript and events, and no model sees them", async () => {
    const { agent, events, requests } = recordedAgent([text("ok")]);
    await agent.prompt([userMessage("hi"), note]);
    assert.deepEqual(agent.messages[1], note);
    assert.deepEqual(ofType(events, "message_end")[1]?.message, note);
    assert.deepEqual(said(requests[0]?.messages ?? []), ["user: hi"]);
  });

  it("C38: getApiKey is asked before every request; what it gives replaces the key, an empty answer does not", async () => {
    const keys = ["k1", "", undefined];
    const asked: string[] = [];
    const { agent, requests } = recordedAgent([call("a"), call("a"), text("ok")], {
      tools: [tool("a")],
      streamOptions: { apiKey: "configured" },
      hooks: {
        getApiKey(provider) {
          asked.push(provider);
          return keys[asked.length - 1];
        },
      },
    });
    await agent.prompt("hi");
    assert.deepEqual(asked, ["test", "test", "test"]);
    assert.deepEqual(
      requests.map((request) => request.options.apiKey),
      ["k1", "configured", "configured"],
    );
  });

  it("C38: a child without a key hook asks its parent's", async () => {
    const { agent, requests } = recordedAgent([call("spawn"), text("child"), text("ok")], {
      hooks: { getApiKey: () => "key" },
      tools: [
        tool("spawn", async (_args, context) => {
          await context.subAgents.create({ name: "child" }).run("go");
          return "ok";
        }),
      ],
    });
    await agent.prompt("hi");
    assert.deepEqual(
      requests.map((request) => request.options.apiKey),
      ["key", "key", "key"],
    );
  });

  it("C39: what prepareNextTurn gives is used by the next request; it runs after turn_end and before shouldStop", async () => {
    const order: string[] = [];
    const seen: TurnInfo[] = [];
    const { agent, requests } = recordedAgent([call("a"), text("ok")], {
      tools: [tool("a")],
      hooks: {
        prepareNextTurn(turn) {
          order.push("prepare");
          if (turn.iteration > 0) return undefined;
          return {
            model: otherModel,
            thinkingLevel: "high",
            context: { ...turn.context, systemPrompt: "new", messages: turn.context.messages.slice(-2) },
          };
        },
        shouldStopAfterTurn(turn) {
          order.push(`stop? ${turn.context.systemPrompt}`);
          seen.push(turn);
          return false;
        },
      },
    });
    agent.subscribe((event) => {
      if (event.type === "turn_end") order.push("turn_end");
    });
    await agent.prompt("hi");
    assert.deepEqual(order, ["turn_end", "prepare", "stop? new", "turn_end", "prepare", "stop? new"]);
    const second = requests[1];
    assert.deepEqual(
      [second?.model.id, second?.options.thinkingLevel, second?.systemPrompt, second?.messages.length],
      ["other", "high", "new", 2],
    );
    assert.equal(seen[1]?.index, 1);
    assert.equal(agent.state.model.id, "scripted");
  });

  it("C39: the context that prepareNextTurn gave is copied, and events name the new model", async () => {
    const context = { systemPrompt: "new", messages: [userMessage("only this")], tools: [tool("a")] };
    let given = 0;
    const { agent, events } = recordedAgent([call("a"), text("ok")], {
      tools: [tool("a")],
      hooks: { prepareNextTurn: () => (given++ === 0 ? { context, model: otherModel } : {}) },
    });
    await agent.prompt("hi");
    assert.deepEqual([context.messages.length, context.tools.length], [1, 1]);
    assert.equal(events.at(-1)?.agent.model, "other");
  });

  it("C40: shouldStopAfterTurn ends the run at once; the queues are not polled and keep their content", async () => {
    const { agent, requests } = recordedAgent([call("a"), text("never")], {
      tools: [tool("a", () => agent.steer("wait").id)],
      hooks: { shouldStopAfterTurn: () => true },
    });
    agent.followUp("later");
    const run = await agent.prompt("hi");
    assert.equal(run.reason, "stopped");
    assert.equal(requests.length, 1);
    assert.equal(agent.hasQueued, true);
    agent.clearQueues("steering");
    assert.equal(agent.hasQueued, true);
  });

  const failing: [string, LoopHooks][] = [
    ["transformContext", { transformContext: () => Promise.reject(new Error("broke")) }],
    ["convertToLlm", { convertToLlm: () => Promise.reject(new Error("broke")) }],
    ["getApiKey", { getApiKey: () => Promise.reject(new Error("broke")) }],
    ["prepareNextTurn", { prepareNextTurn: () => Promise.reject(new Error("broke")) }],
    ["shouldStopAfterTurn", { shouldStopAfterTurn: () => Promise.reject(new Error("broke")) }],
    ["beforeFinish", { beforeFinish: () => Promise.reject(new Error("broke")) }],
    ["getSteeringMessages", { getSteeringMessages: () => Promise.reject(new Error("broke")) }],
    ["getFollowUpMessages", { getFollowUpMessages: () => Promise.reject(new Error("broke")) }],
  ];
  for (const [name, hooks] of failing) {
    it(`C41: a failing ${name} ends the run with code "hook" and appends no message for it`, async () => {
      const { agent, events } = recordedAgent([text("ok")], { hooks });
      agent.followUp("kept");
      const { result } = await collect(agent.send("hi"));
      assert.equal(result.reason, "error");
      assert.equal(result.error?.code, "hook");
      assert.match(result.error?.message ?? "", new RegExp(`${name} failed: broke`));
      assert.equal(events.at(-1)?.type, "agent_end");
      assert.ok(said(agent.messages).every((line) => line === "user: hi" || line === "assistant: ok"));
      assert.equal(agent.hasQueued, true);
    });
  }

  it("C41: a hook that never answers does not hold up an abort", async () => {
    const { agent } = recordedAgent([text("ok")], { hooks: { transformContext: () => new Promise(() => {}) } });
    const run = agent.prompt("hi");
    await agent.abort();
    await assert.rejects(run, { code: "aborted" });
  });

  it("B47: an effect that throws after the answer keeps the tools from running; their calls are answered", async () => {
    let executed = 0;
    const later: string[] = [];
    const effects: Effect[] = [
      {
        name: "strict",
        after() {
          throw new Error("broke");
        },
      },
      { after: () => void later.push("after") },
    ];
    const { agent, events } = recordedAgent([call("a")], { effects, tools: [tool("a", () => String(++executed))] });
    const { result } = await collect(agent.send("hi"));
    assert.equal(result.error?.code, "hook");
    assert.match(result.error?.message ?? "", /strict failed: broke/);
    assert.equal(executed, 0);
    assert.deepEqual(later, []);
    assert.equal(results(agent.messages).length, 1);
    assert.deepEqual(typesOf(events).slice(-6), [
      "tool_execution_start",
      "tool_execution_end",
      "message_start",
      "message_end",
      "turn_end",
      "agent_end",
    ]);
  });

  it("B47: an effect that throws before the request makes no request", async () => {
    const { agent, requests } = recordedAgent([text("never")], {
      effects: [{ before: () => Promise.reject(new Error("broke")) }],
    });
    await assert.rejects(agent.prompt("hi"), { code: "hook" });
    assert.equal(requests.length, 0);
  });

  it("B46, B48: an effect sees phase, iteration, transcript, model, agent and the last usage", async () => {
    const seen: IterationInfo[] = [];
    const { agent } = recordedAgent([call("a", {}), text("ok", { usage: { input: 9 } })], {
      tools: [tool("a")],
      effects: [{ before: (info) => void seen.push(info), after: (info) => void seen.push(info) }],
    });
    await agent.prompt("hello");
    assert.deepEqual(
      seen.map(
        (info) => `${info.phase} ${info.iteration} ${info.model.id} ${info.agent.name} ${info.lastUsage?.input}`,
      ),
      [
        "before 0 scripted main undefined",
        "after 0 scripted main undefined",
        "before 1 scripted main undefined",
        "after 1 scripted main 9",
      ],
    );
    assert.deepEqual(said(seen[0]?.transcript.list() ?? []).slice(0, 1), ["user: hello"]);
    assert.ok((seen[0]?.estimatedTokens ?? 0) > 0);
  });

  it("B49: an effect's reset is called at the start of each run", async () => {
    let resets = 0;
    const { agent } = recordedAgent([text("a"), text("b")], { effects: [{ reset: () => void resets++ }] });
    await agent.prompt("hi");
    await agent.prompt("more");
    assert.equal(resets, 2);
  });

  it("An effect that replaces the transcript changes what the model is shown, never the agent's messages", async () => {
    const { agent, requests } = recordedAgent([text("ok")], {
      effects: [{ before: (info) => info.transcript.replace([userMessage("instead")]) }],
    });
    await agent.prompt("hi");
    assert.deepEqual(said(requests[0]?.messages ?? []), ["user: instead"]);
    assert.deepEqual(said(agent.messages), ["user: hi", "assistant: ok"]);
  });

  it("An effect that appends adds a real message with its events", async () => {
    const { agent, events, requests } = recordedAgent([text("ok")], {
      effects: [{ before: (info) => info.transcript.append(userMessage("by the way")) }],
    });
    await agent.prompt("hi");
    assert.deepEqual(said(requests[0]?.messages ?? []), ["user: hi", "user: by the way"]);
    assert.deepEqual(said(agent.messages), ["user: hi", "user: by the way", "assistant: ok"]);
    assert.equal(ofType(events, "message_start").length, 3);
  });

  it("An effect can offer the model fewer tools, and calls of the others are unknown", async () => {
    const { agent, requests } = recordedAgent([call("b"), text("ok")], {
      tools: [tool("a"), tool("b")],
      effects: [{ filterTools: (tools) => tools.filter((one) => one.name === "a") }],
    });
    await agent.prompt("hi");
    assert.deepEqual(
      requests[0]?.tools.map((one) => one.name),
      ["a"],
    );
    assert.deepEqual(results(agent.messages), ['Unknown tool "b". Available: a']);
  });

  it("What an effect asks the model is counted as usage, and is no part of context or transcript", async () => {
    const asked: string[] = [];
    const { agent } = recordedAgent([text("summary", { usage: { input: 50 } }), text("ok", { usage: { input: 7 } })], {
      effects: [
        {
          async before(info) {
            const answer = await info.complete({ systemPrompt: "s", messages: [], tools: [] });
            asked.push(answer.stopReason);
          },
        },
      ],
    });
    await agent.prompt("hi");
    assert.deepEqual(asked, ["stop"]);
    assert.equal(agent.usage.input, 57);
    assert.equal(agent.contextUsage().used, 7);
    assert.equal(agent.messages.length, 2);
  });

  it("A side request that fails is an answer with stop reason error", async () => {
    const reasons: string[] = [];
    const { agent } = recordedAgent([fail("no"), text("ok")], {
      effects: [
        {
          async before(info) {
            reasons.push((await info.complete({ systemPrompt: "s", messages: [], tools: [] })).stopReason);
          },
        },
      ],
    });
    await agent.prompt("hi");
    assert.deepEqual(reasons, ["error"]);
  });

  it("stop() ends the run once the open calls are answered", async () => {
    const { agent, requests } = recordedAgent([calls({ name: "a" }, { name: "a" })], {
      tools: [tool("a")],
      effects: [{ after: (info) => info.stop("stopped", { result: 7 }) }],
    });
    const run = await agent.prompt("hi");
    assert.deepEqual([run.reason, run.result], ["stopped", 7]);
    assert.deepEqual(results(agent.messages), ["ok", "ok"]);
    assert.equal(requests.length, 1);
  });

  it("stop() in prepareNextTurn leaves shouldStopAfterTurn unasked", async () => {
    let asked = 0;
    const { agent } = recordedAgent([text("ok")], {
      hooks: {
        prepareNextTurn: (turn) => turn.stop("limit"),
        shouldStopAfterTurn: () => asked++ === 0,
      },
    });
    assert.equal((await agent.prompt("hi")).reason, "limit");
    assert.equal(asked, 0);
  });

  it("stop() before a request makes none", async () => {
    const { agent, requests } = recordedAgent([], { effects: [{ before: (info) => info.stop("stopped") }] });
    assert.equal((await agent.prompt("hi")).reason, "stopped");
    assert.equal(requests.length, 0);
  });

  it("A run stopped as failed without an error at hand still rejects", async () => {
    const { agent } = recordedAgent([text("ok")], { hooks: { prepareNextTurn: (turn) => turn.stop("error") } });
    await assert.rejects(agent.prompt("hi"), { code: "hook" });
  });

  it("beforeFinish continues the run with what it returns, and is asked again", async () => {
    const seen: unknown[] = [];
    const { agent } = recordedAgent([text("first"), text("second")], {
      hooks: {
        beforeFinish(turn) {
          seen.push(turn.result);
          return seen.length === 1 ? [userMessage("better")] : undefined;
        },
      },
    });
    const run = await agent.prompt("hi");
    assert.deepEqual(seen, ["first", "second"]);
    assert.deepEqual(said(run.messages), ["user: hi", "assistant: first", "user: better", "assistant: second"]);
  });

  it("Hooks of one run are asked besides the agent's own, and only in that run", async () => {
    const asked: string[] = [];
    const { agent } = recordedAgent([text("a"), text("b")], { hooks: { beforeFinish: () => void asked.push("own") } });
    await agent.prompt("hi", { hooks: { beforeFinish: () => void asked.push("run") } });
    await agent.prompt("more");
    assert.deepEqual(asked, ["own", "run", "own"]);
  });

  it("The text of an error's cause is reported with it", async () => {
    const { agent, events } = recordedAgent([], {
      effects: [{ before: () => Promise.reject(new AgentError("hook", "no room", { cause: new Error("disk full") })) }],
    });
    await assert.rejects(agent.prompt("hi"), { message: "no room" });
    assert.deepEqual(ofType(events, "agent_end")[0]?.error, { code: "hook", message: "no room: disk full" });
  });

  it("Configured steering and follow-up hooks are asked besides the agent's own queues", async () => {
    const given = { steering: [userMessage("hook steers")], followUp: [userMessage("hook follows")] };
    const { agent } = recordedAgent([text("a"), text("b")], {
      hooks: {
        getSteeringMessages: () => given.steering.splice(0),
        getFollowUpMessages: () => given.followUp.splice(0),
      },
    });
    agent.steer("queue steers");
    agent.followUp("queue follows");
    await agent.prompt("hi");
    assert.deepEqual(
      said(agent.messages).filter((line) => line.startsWith("user")),
      ["user: hi", "user: queue steers", "user: hook steers", "user: queue follows", "user: hook follows"],
    );
  });

  it("A bare loop takes hooks and effects like an agent", async () => {
    const { model, streamFn } = scriptedModel([text("ok")]);
    const context = { systemPrompt: "", messages: [], tools: [] };
    const hooks: LoopHooks = { getFollowUpMessages: () => [], shouldStopAfterTurn: () => true };
    const run = await runLoop([userMessage("hi")], context, { model, streamFn, hooks }).result;
    assert.equal(run.reason, "stopped");
  });
});
