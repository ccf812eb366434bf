import assert from "node:assert/strict";
import type { Middleware } from "../../../src/agent/agent/middleware.ts";
import { runLoop } from "../../../src/agent/agent/runLoop.ts";
import { compactEffect } from "../../../src/agent/context/compactEffect.ts";
import { limitsEffect } from "../../../src/agent/loop/limits.ts";
import type { AgentEvent } from "../../../src/agent/vocabulary/events.ts";
import type { Effect, IterationInfo } from "../../../src/agent/vocabulary/hooks.ts";
import { textOf, userMessage } from "../../../src/agent/vocabulary/messages.ts";
import type { ModelRequest } from "../../../src/agent/vocabulary/model.ts";
import { createScope } from "../../../src/agent/vocabulary/scope.ts";
import { echoTool, shown, testAgent } from "../../support/scriptedAgents.ts";
import { call, scriptedModel, text } from "../../support/scriptedModel.ts";

/** An effect that writes down when it is asked. */
function tracing(name: string, trace: string[], more: Partial<Effect> = {}): Effect {
  return {
    name,
    before: () => {
      trace.push(`${name}.before`);
    },
    after: () => {
      trace.push(`${name}.after`);
    },
    ...more,
  };
}

const typesOf = (events: readonly AgentEvent[]) => events.map((event) => event.type);

describe("middleware of an agent", () => {
  it("B41: the first of the list is entered first and left last", async () => {
    const trace: string[] = [];
    const named = (name: string): Middleware => {
      return (next) => async (signal) => {
        trace.push(`enter ${name}`);
        const result = await next(signal);
        trace.push(`leave ${name}`);
        return result;
      };
    };
    const { agent } = testAgent([text("yes")], { middleware: [named("A"), named("B"), named("C")] });
    await agent.prompt("hi");
    assert.deepEqual(trace, ["enter A", "enter B", "enter C", "leave C", "leave B", "leave A"]);
  });
});

describe("effects of an agent", () => {
  it("know the request that would show given messages: for those of the transcript, the one that follows", async () => {
    const asked: ModelRequest[] = [];
    const looking: Effect = {
      before: async ({ conversation, transcript }) => {
        const request = await conversation?.(transcript.list());
        if (request !== undefined) asked.push(request);
      },
      filterTools: (tools) => tools.filter(({ name }) => name !== "hidden"),
    };
    const { agent, requests } = testAgent([call("echo"), text("yes")], {
      effects: [looking],
      systemPrompt: "Be brief.",
      tools: [echoTool("echo"), echoTool("hidden")],
      hooks: { transformContext: (messages) => [userMessage("first of all"), ...messages].slice(0, 3) },
    });
    await agent.prompt("hi");
    const shownIn = ({ systemPrompt, tools, messages }: ModelRequest) => ({
      systemPrompt,
      tools: tools.map(({ name }) => name),
      messages: messages.map(({ content }) => content),
    });
    assert.equal(requests.length, 2);
    assert.deepEqual(asked.map(shownIn), requests.map(shownIn));
  });

  it("B46: all effects run before the model, then all after it, then the tools", async () => {
    const trace: string[] = [];
    const tool = echoTool("echo");
    tool.execute = () => {
      trace.push("tool");
      return "ok";
    };
    const { agent } = testAgent(
      (_request, index) => {
        trace.push("model");
        return index === 0 ? call("echo") : text("done");
      },
      { tools: [tool], effects: [tracing("x", trace), tracing("y", trace)] },
    );
    await agent.prompt("hi");
    const iteration = ["x.before", "y.before", "model", "x.after", "y.after"];
    assert.deepEqual(trace, [...iteration, "tool", ...iteration]);
  });

  it("B47: a throw before the request keeps later effects and the model from running", async () => {
    const trace: string[] = [];
    const failing = tracing("x", trace, {
      before: () => {
        throw new Error("no room");
      },
    });
    const { agent, requests } = testAgent([], { effects: [failing, tracing("y", trace)] });
    const result = await agent.send("hi").result;
    assert.deepEqual([result.reason, result.error?.code], ["error", "hook"]);
    assert.match(result.error?.message ?? "", /no room/);
    assert.deepEqual([trace, requests.length], [[], 0]);
  });

  it("B47: a throw after the answer keeps the tools from running, and their calls are answered", async () => {
    const trace: string[] = [];
    const tool = echoTool("echo");
    tool.execute = () => assert.fail("ran");
    const failing = tracing("x", trace, {
      after: () => {
        throw new Error("no");
      },
    });
    const { agent, events } = testAgent([call("echo")], { tools: [tool], effects: [failing, tracing("y", trace)] });
    const result = await agent.send("hi").result;
    assert.equal(result.error?.code, "hook");
    assert.deepEqual(trace, ["x.before", "y.before"]);
    const ends = events.filter((event) => event.type === "tool_execution_end");
    assert.deepEqual(
      ends.map((event) => event.isError),
      [true],
    );
    assert.equal(result.messages.filter((message) => message.role === "toolResult").length, 1);
  });

  it("B48: an effect sees phase, iteration, transcript, model and agent", async () => {
    const seen: unknown[] = [];
    const look = ({ phase, iteration, transcript, model, agent }: IterationInfo) => {
      seen.push([phase, iteration, transcript.list().length, model.id, agent.name]);
    };
    const tools = [echoTool()];
    const { agent } = testAgent([call("echo"), text("done")], {
      name: "main",
      tools,
      effects: [{ before: look, after: look }],
    });
    await agent.prompt("hi");
    assert.deepEqual(seen, [
      ["before", 0, 1, "scripted", "main"],
      ["after", 0, 2, "scripted", "main"],
      ["before", 1, 3, "scripted", "main"],
      ["after", 1, 4, "scripted", "main"],
    ]);
  });

  it("B49: an effect is reset at the start of each run", async () => {
    const trace: string[] = [];
    const { agent } = testAgent([text("one"), text("two")], {
      effects: [{ reset: () => trace.push("reset"), before: () => void trace.push("before") }],
    });
    await agent.prompt("hi");
    await agent.prompt("again");
    assert.deepEqual(trace, ["reset", "before", "reset", "before"]);
  });

  it("B52: the request after a compaction shows the summary alone, and the transcript keeps everything", async () => {
    const replies = [call("echo", { long: "x".repeat(100) }), text("A summary."), text("done")];
    const usage = [{ input: 900 }, {}, {}];
    const { agent, requests } = testAgent((_request, index) => ({ ...replies[index], usage: usage[index] ?? {} }), {
      tools: [echoTool()],
      effects: [compactEffect({})],
    });
    await agent.prompt("Do it.");
    assert.equal(requests.length, 3);
    assert.deepEqual(shown(requests[2]).length, 1);
    assert.match(shown(requests[2])[0] ?? "", /A summary\./);
    assert.deepEqual(
      agent.messages.map((message) => message.role),
      ["user", "assistant", "toolResult", "summary", "assistant"],
    );
  });

  it("B52: a later run still sees the summary in place of what it summarizes", async () => {
    const replies = [call("echo"), text("A summary."), text("done"), text("again")];
    const { agent, requests } = testAgent(
      (_request, index) => ({ ...replies[index], usage: index === 0 ? { input: 900 } : { input: 10 } }),
      { tools: [echoTool()], effects: [compactEffect({})] },
    );
    await agent.prompt("Do it.");
    await agent.prompt("More.");
    assert.deepEqual(shown(requests[3]).slice(1), ["done", "More."]);
    assert.match(shown(requests[3])[0] ?? "", /A summary\./);
  });
});

describe("a compactor of an agent", () => {
  it("E52: is asked before every request; skip leaves the request and the events as they are", async () => {
    const seen: string[][] = [];
    const { agent, requests, events } = testAgent([call("echo"), text("done")], {
      tools: [echoTool()],
      compactor: async (messages) => {
        seen.push(messages.map(textOf));
        return "skip";
      },
    });
    await agent.prompt("hi");
    assert.deepEqual(seen, [["hi"], ["hi", "", "echoed"]]);
    assert.deepEqual(shown(requests[1]), ["hi", "", "echoed"]);
    assert.ok(!typesOf(events).includes("compaction_start"));
  });

  it("E53: what it summarized is replaced in the request, after both events", async () => {
    const { agent, requests, events } = testAgent([call("echo"), text("done")], {
      tools: [echoTool()],
      compactor: async (messages) => (messages.length === 3 ? { summary: "S" } : "skip"),
    });
    await agent.prompt("hi");
    const types = typesOf(events).filter((type) => type.startsWith("compaction"));
    assert.deepEqual(types, ["compaction_start", "compaction_end"]);
    assert.equal(shown(requests[1]).length, 1);
    assert.match(shown(requests[1])[0] ?? "", /S/);
  });
});

describe("limitsEffect in a bare loop", () => {
  const run = (effect: ReturnType<typeof limitsEffect>, replies: Parameters<typeof scriptedModel>[0]) => {
    const scripted = scriptedModel(replies);
    const context = { systemPrompt: "", messages: [], tools: [echoTool()] };
    const config = { model: scripted.model, streamFn: scripted.streamFn, effects: [effect], hooks: effect };
    return { ...scripted, stream: runLoop([userMessage("go")], context, config) };
  };
  const limits = async (stream: ReturnType<typeof run>["stream"]) => {
    const reached: string[] = [];
    for await (const event of stream) if (event.type === "limit_reached") reached.push(event.limit);
    return reached;
  };

  it("D13: makes exactly as many requests as it may, and ends with the last text", async () => {
    const { stream, requests } = run(limitsEffect({ maxTurns: 2 }), () => ({ text: "digging", ...call("echo") }));
    assert.deepEqual(await limits(stream), ["turns"]);
    const { reason, result, error } = await stream.result;
    assert.deepEqual([requests.length, reason, result, error?.code], [2, "limit", "digging", "limit"]);
  });

  it("D13: a run that ends on its own with its last turn has kept its limit", async () => {
    const { stream } = run(limitsEffect({ maxTurns: 2 }), [call("echo"), text("done")]);
    assert.deepEqual(await limits(stream), []);
    assert.equal((await stream.result).reason, "done");
  });

  it("D14, D15: ends after the turn that passed the cost, its calls answered", async () => {
    const { stream, requests } = run(limitsEffect({ maxCost: 0.5 }), () => ({ ...call("echo"), usage: { cost: 0.4 } }));
    assert.deepEqual(await limits(stream), ["cost"]);
    assert.equal(requests.length, 2);
    assert.equal((await stream.result).messages.at(-1)?.role, "toolResult");
  });

  it("D9: makes no request when the tree has spent too much already; equal to the limit is allowed", async () => {
    const scope = createScope({ maxSpend: 1 });
    scope.charge(1);
    const allowed = run(limitsEffect({ scope }), [text("yes")]);
    assert.equal((await allowed.stream.result).reason, "done");
    scope.charge(0.1);
    const refused = run(limitsEffect({ scope }), []);
    assert.deepEqual(await limits(refused.stream), ["spend"]);
    assert.equal(refused.requests.length, 0);
  });
});
