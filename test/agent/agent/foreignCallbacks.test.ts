import assert from "node:assert/strict";
import { mock } from "node:test";
import * as z from "zod";
import { Agent } from "../../../src/agent/agent/agent.ts";
import { type Middleware, outputGuardrail, timeout } from "../../../src/agent/agent/middleware.ts";
import type { ToolCallInfo } from "../../../src/agent/vocabulary/hooks.ts";
import {
  type AgentMessage,
  type AssistantMessage,
  isLlmMessage,
  textOf,
  userMessage,
} from "../../../src/agent/vocabulary/messages.ts";
import type { ModelRequest } from "../../../src/agent/vocabulary/model.ts";
import { defineTool } from "../../../src/agent/vocabulary/tools.ts";
import { ofType, seenType } from "../../support/agents.ts";
import { echoTool, shown, testAgent, testTeam } from "../../support/scriptedAgents.ts";
import { call, calls, scriptedModel, text } from "../../support/scriptedModel.ts";

const never = () => new Promise<never>(() => {});
const graceful = { abortGraceMs: 10 };

describe("A middleware that does not end", () => {
  it("is left once the deadline around it has passed, and what the run appended stays", async () => {
    const middleware = [timeout(20), outputGuardrail(never)];
    const { agent, events } = testAgent([text("an answer")], { middleware, ...graceful });
    const { reason, error, messages } = await agent.send("go").result;
    assert.deepEqual([reason, error?.code], ["error", "timeout"]);
    assert.deepEqual(
      messages.map((message) => message.role),
      ["user", "assistant"],
    );
    assert.equal(ofType(events, "agent_end").length, 1);
    assert.equal(agent.status, "idle");
  });

  it("is left after an abort of the agent, and of the caller's signal", async () => {
    const { agent } = testAgent([text("one"), text("two")], { middleware: [outputGuardrail(never)], ...graceful });
    const first = agent.send("go").result;
    await seenType(agent, "turn_end");
    await agent.abort();
    assert.equal((await first).reason, "aborted");
    const caller = new AbortController();
    const second = agent.send("again", { signal: caller.signal }).result;
    await seenType(agent, "turn_end");
    caller.abort();
    assert.equal((await second).reason, "aborted");
  });

  it("is left also when it waits before the run, which it can't start any more", async () => {
    const gate = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const waits: Middleware = (next) => async (signal) => {
      await gate.promise;
      const result = next(signal);
      result.then(late.resolve, late.reject);
      return result;
    };
    const { agent, requests } = testAgent([text("unasked")], { middleware: [waits], ...graceful });
    const result = agent.send("go").result;
    await agent.abort();
    assert.equal((await result).reason, "aborted");
    gate.resolve();
    await assert.rejects(late.promise, { code: "aborted" });
    assert.equal(requests.length, 0);
    assert.deepEqual(agent.messages, []);
  });

  it("may await the abort of its own agent", async () => {
    let own: Agent | undefined;
    const { agent } = testAgent([text("an answer")], {
      middleware: [outputGuardrail(() => own?.abort())],
      ...graceful,
    });
    own = agent;
    assert.equal((await agent.send("go").result).reason, "aborted");
  });

  it("has time to end on its own after an abort", async () => {
    const tidies: Middleware = (next) => async (signal) => {
      const result = await next(signal);
      await new Promise(setImmediate);
      return { ...result, result: "tidied" };
    };
    const { agent } = testAgent([{ hang: true }], { middleware: [tidies] });
    const sent = agent.send("go").result;
    await agent.abort();
    assert.equal((await sent).result, "tidied");
  });
});

describe("A middleware that gives no result", () => {
  const faults: Record<string, unknown> = {
    "forgets to return it": (next: (signal: AbortSignal) => unknown) => async (signal: AbortSignal) => {
      await next(signal);
    },
    "forgets to return its function": () => undefined,
    "gives something else": () => async () => ({ answer: 42 }),
  };
  for (const [fault, middleware] of Object.entries(faults)) {
    it(`ends the run as failed when it ${fault}`, async () => {
      // What the types forbid, JavaScript lets happen.
      const { agent } = testAgent([text("an answer")], { middleware: [middleware as Middleware] });
      const { reason, error } = await agent.send("go").result;
      assert.deepEqual([reason, error?.code], ["error", "hook"]);
      assert.equal(agent.status, "idle");
    });
  }
});

describe("The request that a StreamFn is given", () => {
  it("has what its type declares and nothing else, so that it can be cloned and logged", async () => {
    const seen: ModelRequest[] = [];
    const { model, streamFn } = scriptedModel([text("an answer")]);
    const agent = new Agent({
      model,
      streamFn: (...asked) => {
        seen.push(asked[1]);
        return streamFn(...asked);
      },
      tools: [echoTool()],
      hooks: { getApiKey: () => "sk-secret" },
    });
    await agent.prompt("go");
    assert.deepEqual(seen.map(Object.keys), [["systemPrompt", "messages", "tools"]]);
    assert.deepEqual(structuredClone(seen), seen);
    assert.doesNotMatch(JSON.stringify(seen), /sk-secret/);
  });
});

describe("A listener that fails later", () => {
  it("neither ends the process nor keeps other listeners from their events", async () => {
    const logged = mock.method(console, "error", () => {});
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    const others = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", note);
    try {
      const { agent, events } = testAgent([text("an answer")]);
      agent.subscribe(async () => {
        throw new Error("no disk");
      });
      await agent.prompt("go");
      await new Promise(setImmediate);
      assert.deepEqual(unhandled, []);
      assert.equal(logged.mock.callCount(), 1);
      assert.equal(ofType(events, "agent_end").length, 1);
    } finally {
      logged.mock.restore();
      process.off("unhandledRejection", note);
      for (const listener of others) process.on("unhandledRejection", listener);
    }
  });

  it("of a team harms no other listener of the team", async () => {
    const logged = mock.method(console, "error", () => {});
    try {
      const { team, events, member } = testTeam({ one: [text("an answer")] });
      const later: string[] = [];
      team.subscribe(() => {
        throw new Error("no disk");
      });
      team.subscribe((event) => later.push(event.type));
      await member("one").prompt("go");
      assert.deepEqual(
        later,
        events.map((event) => event.type),
      );
    } finally {
      logged.mock.restore();
    }
  });
});

describe("A schema whose refinement does not end", () => {
  const stuck = defineTool({
    name: "stuck",
    description: "Waits.",
    schema: z.object({}).refine(never),
    execute: () => "unreachable",
  });

  it("is left when the agent is aborted", async () => {
    const { agent } = testAgent([call("stuck")], { tools: [stuck] });
    const sent = agent.send("go").result;
    await seenType(agent, "tool_execution_start");
    await agent.abort();
    const { reason, messages } = await sent;
    assert.equal(reason, "aborted");
    assert.equal(messages.at(-1)?.role, "toolResult");
  });

  it("is left when the tool's time is up, and the model gets to know", async () => {
    const { agent, requests } = testAgent([call("stuck"), text("done")], { tools: [stuck], toolTimeoutMs: 20 });
    await agent.prompt("go");
    assert.match(shown(requests[1]).at(-1) ?? "", /timed out after 20 ms/);
  });
});

describe("What foreign code is given", () => {
  const nested = { filter: { paths: ["a"] } };

  it("is a copy of a call's arguments, for the tool and for what prepares them", async () => {
    const writes = defineTool({
      name: "writes",
      description: "Writes to its arguments.",
      schema: z.object({ filter: z.any() }),
      prepareArguments(raw: unknown) {
        Object.assign(raw as object, { added: true });
        return raw;
      },
      execute({ filter }) {
        filter.paths.push("b");
        return "done";
      },
    });
    const { agent, events } = testAgent([call("writes", structuredClone(nested)), text("done")], { tools: [writes] });
    await agent.prompt("go");
    assert.deepEqual(ofType(events, "tool_execution_start")[0]?.args, nested);
    const [, assistant] = agent.messages;
    assert.ok(assistant?.role === "assistant" && assistant.content[0]?.type === "toolCall");
    assert.deepEqual(assistant.content[0].arguments, nested);
  });

  it("is a copy of a call and its message, for hooks", async () => {
    const beforeToolCall = ({ call, assistant }: ToolCallInfo) => {
      Object.assign(call, { name: "other", arguments: {} });
      assistant.content.length = 0;
    };
    const options = { tools: [echoTool()], hooks: { beforeToolCall } };
    const { agent } = testAgent([call("echo", structuredClone(nested)), text("done")], options);
    await agent.prompt("go");
    const [, assistant, result] = agent.messages;
    assert.ok(assistant?.role === "assistant" && assistant.content[0]?.type === "toolCall");
    assert.deepEqual([assistant.content[0].name, assistant.content[0].arguments], ["echo", nested]);
    assert.equal(result && textOf(result), "echoed");
  });

  it("is one and the same copy of a message for all of its calls, so that hooks can distinguish them from others", async () => {
    const seen = new Set<AssistantMessage>();
    const hooks = { beforeToolCall: ({ assistant }: ToolCallInfo) => void seen.add(assistant) };
    const script = [calls({ name: "echo" }, { name: "echo" }), call("echo"), text("done")];
    const { agent } = testAgent(script, { tools: [echoTool()], hooks });
    await agent.prompt("go");
    assert.equal(seen.size, 2);
  });

  it("stays the tool's own where it gives a result", async () => {
    const details = structuredClone(nested);
    const content = [{ type: "text" as const, text: "found" }];
    const gives = defineTool({
      name: "gives",
      description: "Gives a result.",
      schema: z.object({}),
      execute: () => ({ content, details }),
    });
    const { agent, events } = testAgent([call("gives"), text("done")], { tools: [gives] });
    await agent.prompt("go");
    details.filter.paths.push("b");
    content.push({ type: "text", text: "later" });
    assert.deepEqual(ofType(events, "tool_execution_end")[0]?.result.details, nested);
    const result = agent.messages[2];
    assert.equal(result && textOf(result), "found");
  });

  it("is a copy of the messages, for what transforms them; the model is shown the edits", async () => {
    const edits = (messages: readonly AgentMessage[]) => {
      for (const message of messages) {
        if (message.role === "user") for (const part of message.content) Object.assign(part, { text: "edited" });
      }
      return [...messages];
    };
    for (const hooks of [
      { transformContext: edits },
      { convertToLlm: (m: readonly AgentMessage[]) => edits(m).filter(isLlmMessage) },
    ]) {
      const { agent, requests } = testAgent([call("echo"), text("done")], { tools: [echoTool()], hooks });
      await agent.prompt("go");
      assert.equal(shown(requests[1])[0], "edited");
      assert.deepEqual(agent.messages.map(textOf), ["go", "", "echoed", "done"]);
    }
  });

  it("keeps the identity of messages that a transform leaves alone, so that what is cached for them stays valid", async () => {
    const { agent, requests } = testAgent([call("echo"), text("done")], {
      tools: [echoTool()],
      hooks: { transformContext: (messages) => messages.slice() },
    });
    await agent.prompt("go");
    assert.equal(requests[1]?.messages[0], agent.messages[0]);
  });

  it("stays the caller's own message, whatever is edited on either side later", async () => {
    const message = userMessage("go");
    const given = [userMessage("before")];
    const { agent } = testAgent([text("done")], { messages: given });
    await agent.prompt(message);
    for (const own of [message, ...given]) own.content[0] = { type: "text", text: "edited" };
    assert.deepEqual(agent.messages.map(textOf), ["before", "go", "done"]);
  });
});
