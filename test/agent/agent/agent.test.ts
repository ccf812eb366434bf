import assert from "node:assert/strict";
import { Agent } from "../../../src/agent/agent/agent.ts";
import type { Input } from "../../../src/agent/agent/agentOptions.ts";
import { MemorySessionStore } from "../../../src/agent/session/memory.ts";
import type { AgentEvent } from "../../../src/agent/vocabulary/events.ts";
import { textOf, userMessage } from "../../../src/agent/vocabulary/messages.ts";
import { createScope } from "../../../src/agent/vocabulary/scope.ts";
import { Toolbox } from "../../../src/agent/vocabulary/tools.ts";
import { collect, gate, ofType, recordedAgent, results, said, story, tool } from "../../support/agents.ts";
import { byAgent, call, calls, fail, hang, scriptedModel, testModel, text } from "../../support/scriptedModel.ts";

const otherModel = { ...testModel, id: "other" };
const image = { type: "image" as const, mimeType: "image/png", data: "AAAA" };

describe("an agent", () => {
  it("C49: a second prompt or continue while running rejects as busy", async () => {
    const { agent } = recordedAgent([hang()]);
    const run = agent.prompt("hi").catch((error: unknown) => error);
    await assert.rejects(agent.prompt("more"), { code: "busy" });
    await assert.rejects(agent.continue(), { code: "busy" });
    await agent.abort();
    await run;
  });

  const empty: Input[] = [[], ""];
  for (const input of empty) {
    it(`C50: ${JSON.stringify(input)} is refused and changes nothing`, async () => {
      const { agent, events } = recordedAgent([]);
      await assert.rejects(agent.prompt(input), { code: "bad_input" });
      const { result } = await collect(agent.send(input));
      assert.equal(result.error?.code, "bad_input");
      assert.deepEqual([agent.messages, events, agent.status], [[], [], "idle"]);
    });
  }

  it("send never throws: what keeps a run from starting is reported in its stream", async () => {
    const { agent, events } = recordedAgent([]);
    const scope = createScope();
    Object.defineProperty(scope, "path", {
      get() {
        throw new Error("odd scope");
      },
    });
    const { result } = await collect(agent.send("hi", { scope }));
    assert.match(result.error?.message ?? "", /odd scope/);
    assert.deepEqual([events, agent.status], [[], "idle"]);
  });

  it("C51: continue on an empty transcript is an error without a request", async () => {
    const { agent, requests } = recordedAgent([]);
    await assert.rejects(agent.continue(), { code: "empty_transcript" });
    await assert.rejects(agent.run(), { code: "empty_transcript" });
    assert.equal(requests.length, 0);
  });

  it("C52: continue on a transcript that ends with a user message asks without a new one", async () => {
    const { agent, requests } = recordedAgent([text("ok")], { messages: [userMessage("answer me")] });
    const reply = await agent.run();
    assert.equal(textOf(reply), "ok");
    assert.deepEqual(said(requests[0]?.messages ?? []), ["user: answer me"]);
  });

  it("C52: after a failed answer, continue asks again", async () => {
    const { agent, requests } = recordedAgent([fail("no"), text("ok")]);
    await assert.rejects(agent.prompt("hi"));
    await agent.continue();
    assert.deepEqual(said(requests[1]?.messages ?? []), ["user: hi"]);
  });

  it("C53: after an answer, continue drains steering by its mode, which the first poll does not take again", async () => {
    const { agent, requests } = recordedAgent([text("a"), text("b"), text("c")]);
    await agent.prompt("hi");
    agent.steer("one");
    agent.steer("two");
    await agent.continue();
    assert.equal(said(requests[1]?.messages ?? []).at(-1), "user: one");
    assert.equal(said(requests[2]?.messages ?? []).at(-1), "user: two");
  });

  it("C53: else it drains follow-ups, else it is an error", async () => {
    const { agent } = recordedAgent([text("a"), text("b")]);
    await agent.prompt("hi");
    await assert.rejects(agent.continue(), { code: "cannot_continue" });
    agent.followUp("more");
    await agent.continue();
    assert.deepEqual(said(agent.messages).slice(-2), ["user: more", "assistant: b"]);
  });

  it("C54: setters during a run leave it alone; the next run uses them, and lists are copied", async () => {
    const list = [tool("b")];
    const { agent, requests } = recordedAgent([call("a"), text("ok"), text("next")], {
      systemPrompt: "old",
      tools: [
        tool("a", () => {
          agent.setModel(otherModel);
          agent.setSystemPrompt("new");
          agent.setThinkingLevel("high");
          agent.setTools(list);
          agent.setToolExecution("sequential");
          list.push(tool("c"));
          return "ok";
        }),
      ],
    });
    await agent.prompt("hi");
    await agent.prompt("more");
    const used = requests.map(({ model, systemPrompt, options, tools }) => [
      model.id,
      systemPrompt,
      options.thinkingLevel,
      tools.map((one) => one.name).join(),
    ]);
    assert.deepEqual(used, [
      ["scripted", "old", "off", "a"],
      ["scripted", "old", "off", "a"],
      ["other", "new", "high", "b"],
    ]);
  });

  it("C55: when a tool starts, the assistant message is in the transcript and the call is pending; later it is not", async () => {
    const { agent } = recordedAgent([call("a", {}, "c1"), text("ok")], { tools: [tool("a")] });
    const states: unknown[] = [];
    agent.subscribe((event) => {
      if (event.type === "tool_execution_start") {
        states.push(agent.state.messages.at(-1)?.role, agent.state.pendingToolCalls, agent.status);
      }
    });
    await agent.prompt("hi");
    assert.deepEqual(states, ["assistant", ["c1"], "executing_tools"]);
    assert.deepEqual(agent.state.pendingToolCalls, []);
    assert.equal(agent.state.isStreaming, false);
  });

  it("C56: the message being streamed is visible in state until it ends", async () => {
    const { agent } = recordedAgent([text("hello", { pieces: 1 })]);
    const streamed: unknown[] = [];
    agent.subscribe((event) => {
      if (event.type === "message_update" || event.type === "message_end")
        streamed.push(agent.state.streamingMessage?.content);
    });
    await agent.prompt("hi");
    const part = { type: "text", text: "hello" };
    assert.deepEqual(streamed, [undefined, [{ type: "text", text: "" }], [part], [part], undefined]);
    assert.equal("streamingMessage" in agent.state, false);
  });

  it("C57: a failed run leaves its error until the next one starts", async () => {
    const { agent } = recordedAgent([fail("no luck"), hang(), fail("again")]);
    await assert.rejects(agent.prompt("hi"));
    assert.equal(agent.state.errorMessage, "no luck");
    agent.send("more");
    assert.equal(agent.state.errorMessage, undefined);
    await agent.abort();
    assert.equal(agent.state.errorMessage, undefined);
  });

  it("C58: reset empties transcript, error and queues, and keeps settings and what was spent", async () => {
    const { agent, events } = recordedAgent([fail("no", { usage: { input: 5 } })], { systemPrompt: "kept" });
    await assert.rejects(agent.prompt("hi"));
    agent.steer("a");
    agent.followUp("b");
    agent.reset();
    assert.deepEqual([agent.messages, agent.hasQueued, agent.state.errorMessage], [[], false, undefined]);
    assert.deepEqual([agent.state.systemPrompt, agent.usage.input], ["kept", 5]);
    assert.equal(ofType(events, "transcript").at(-1)?.reason, "reset");
  });

  it("C58: reset while running is refused", async () => {
    const { agent } = recordedAgent([hang()]);
    agent.send("hi");
    assert.throws(() => agent.reset(), { code: "busy" });
    await agent.abort();
  });

  it("E2: a tool named spawn_agent at the start makes an orchestrator; one added later does not", () => {
    const { model, streamFn } = scriptedModel([]);
    const tools = [tool("spawn_agent")];
    assert.equal(new Agent({ model, streamFn, tools }).role, "orchestrator");
    const worker = new Agent({ model, streamFn });
    worker.addTool(tool("spawn_agent"));
    assert.equal(worker.role, "worker");
  });

  it("E3: once send has returned, the agent streams, the message is in the transcript and the turn was reported", async () => {
    const { agent, events } = recordedAgent([text("ok")]);
    void agent.prompt("hi");
    assert.equal(agent.status, "streaming");
    assert.deepEqual(said(agent.messages), ["user: hi"]);
    assert.equal(ofType(events, "turn_start")[0]?.index, 0);
    await agent.waitForIdle();
  });

  it("E4: a plain answer leaves user and assistant in the transcript and the agent idle", async () => {
    const { agent } = recordedAgent([text("ok")]);
    await agent.prompt("hi");
    assert.deepEqual(said(agent.messages), ["user: hi", "assistant: ok"]);
    assert.equal(agent.status, "idle");
  });

  it("E5: the turn index counts requests over the agent's life, tool continuations included", async () => {
    const { agent, events } = recordedAgent([text("a"), call("t"), text("b")], { tools: [tool("t")] });
    await agent.prompt("one");
    assert.equal(agent.state.turnIndex, 1);
    await agent.prompt("two");
    assert.equal(agent.state.turnIndex, 3);
    assert.deepEqual(
      ofType(events, "turn_start").map((event) => event.index),
      [0, 1, 2],
    );
  });

  it("E6: deltas come as they are; the final message has thinking, then text, then calls", async () => {
    const { agent, events } = recordedAgent([{ thinking: "think", text: "say", calls: [{ name: "t" }] }, text("ok")], {
      tools: [tool("t")],
    });
    await agent.prompt("hi");
    const types = ofType(events, "message_update").map((event) => event.delta.type);
    assert.ok(types.includes("thinking_delta") && types.includes("text_delta"));
    const message = agent.messages[1];
    assert.deepEqual(message?.role === "assistant" && message.content.map((part) => part.type), [
      "thinking",
      "text",
      "toolCall",
    ]);
  });

  it("E10: a list of content parts is stored as it is", async () => {
    const parts = [{ type: "text" as const, text: "look" }, image];
    const { agent } = recordedAgent([text("ok")]);
    await agent.prompt(parts);
    const message = agent.messages[0];
    assert.deepEqual(message?.role === "user" && message.content, parts);
  });

  it("E24: nudge asks without a new message when idle, and does nothing while busy or without anything to answer", async () => {
    const { agent, requests } = recordedAgent([text("a"), text("b")]);
    agent.nudge();
    assert.equal(agent.status, "idle");
    agent.addMessage("hi");
    agent.nudge();
    agent.nudge();
    await agent.waitForIdle();
    assert.equal(requests.length, 1);
    agent.nudge();
    assert.equal(agent.status, "idle");
    agent.followUp("more");
    agent.nudge();
    await agent.waitForIdle();
    assert.deepEqual(said(agent.messages), ["user: hi", "assistant: a", "user: more", "assistant: b"]);
  });

  it("E25: a model changed for the next turn is used by the next request, also within the same run", async () => {
    const { agent, requests } = recordedAgent([call("a"), text("ok")], {
      tools: [
        tool("a", () => {
          agent.setModel(otherModel, { apply: "nextTurn" });
          return agent.status;
        }),
      ],
    });
    await agent.prompt("hi");
    assert.deepEqual(
      requests.map((request) => request.model.id),
      ["scripted", "other"],
    );
    assert.deepEqual(results(agent.messages), ["executing_tools"]);
    assert.equal(agent.meta.model, "other");
  });

  it("E26: tools added and removed at run time are offered, or not, from the next request on", async () => {
    const { agent, requests } = recordedAgent([call("a"), call("b"), text("ok")], {
      tools: [
        tool("a", () => {
          agent.addTool(tool("b", "b ran"));
          agent.removeTool("a");
          return "ok";
        }),
      ],
    });
    await agent.prompt("hi");
    assert.deepEqual(
      requests.map((request) => request.tools.map((one) => one.name).join()),
      ["a", "b", "b"],
    );
    assert.deepEqual(results(agent.messages), ["ok", "b ran"]);
  });

  it("E26: setting the tools brings back what was removed before", () => {
    const { agent } = recordedAgent([], { tools: [tool("a")] });
    agent.removeTool("a");
    agent.setTools([tool("a")]);
    assert.equal(agent.state.tools.length, 1);
  });

  it("E26: a tool of a toolbox can be removed and brought back", () => {
    const { agent } = recordedAgent([], { tools: [new Toolbox("box", [tool("a"), tool("b")])] });
    const names = () => agent.state.tools.map((one) => one.name);
    agent.removeTool("a");
    assert.deepEqual(names(), ["b"]);
    agent.addTool(tool("a"));
    assert.deepEqual(names().sort(), ["a", "b"]);
  });

  it("E27: the estimate is 0 for nothing and grows with each turn", async () => {
    const { agent } = recordedAgent([text("a reply"), text("another reply")]);
    assert.equal(agent.estimateTokens(), 0);
    await agent.prompt("a question");
    const first = agent.estimateTokens();
    await agent.prompt("another question");
    assert.ok(first > 0 && agent.estimateTokens() > first);
  });

  it("E28: info has id, name, description, type, role, status, turn index, usage, cost and model", async () => {
    const { agent } = recordedAgent([text("ok", { usage: { input: 1_000_000 } })], {
      id: "a1",
      description: "helps",
      type: "aide",
    });
    await agent.prompt("hi");
    assert.deepEqual(agent.info(), {
      id: "a1",
      name: "main",
      description: "helps",
      type: "aide",
      role: "worker",
      status: "idle",
      turnIndex: 1,
      usage: agent.usage,
      cost: 1,
      model: "scripted",
    });
  });

  it("E29: an agent is found while it lives, and refuses everything once it is disposed", async () => {
    const { agent } = recordedAgent([hang()]);
    assert.equal(agent.find(agent.id), agent);
    const run = agent.send("hi");
    await agent.dispose();
    assert.equal((await run.result).reason, "aborted");
    assert.equal((await agent.send("more").result).error?.code, "scope_closed");
    await assert.rejects(agent.continue(), { code: "scope_closed" });
    assert.throws(() => agent.followUp("more"), { code: "scope_closed" });
  });

  it('E30: scope "self" gets only the agent\'s own events, the default hears the whole tree', async () => {
    const { agent, events } = recordedAgent(byAgent({ main: [call("spawn"), text("ok")], child: [text("hi")] }), {
      systemPrompt: "main",
      tools: [
        tool("spawn", async (_args, context) => {
          await context.subAgents.create({ name: "child", systemPrompt: "child" }).prompt("go");
          return "ok";
        }),
      ],
    });
    const own: AgentEvent[] = [];
    agent.subscribe((event) => own.push(event), { scope: "self" });
    await agent.prompt("hi");
    assert.ok(own.every((event) => event.agent.id === agent.id));
    assert.deepEqual(
      own,
      events.filter((event) => event.agent.depth === 0),
    );
    assert.ok(events.length > own.length);
  });

  it("The transcript is reported whole when it changes outside a run, and first when the agent was given one", async () => {
    const { agent, events } = recordedAgent([text("ok")], { messages: [userMessage("old"), userMessage("older")] });
    await agent.prompt("hi");
    const [first] = ofType(events, "transcript");
    assert.deepEqual(
      [first?.reason, first?.messages.length, events.indexOf(first ?? assert.fail())],
      ["initial", 2, 1],
    );
    agent.addMessage("noted");
    assert.equal(ofType(events, "transcript").at(-1)?.reason, "added");
    await agent.checkpoint("what happened");
    assert.equal(ofType(events, "transcript").at(-1)?.reason, "checkpoint");
    assert.equal(agent.messages.at(-1)?.role, "summary");
    await agent.prompt("next").catch(() => {});
    assert.equal(ofType(events, "transcript").length, 3);
  });

  it("A checkpoint replaces everything before it in later requests", async () => {
    const { agent, requests } = recordedAgent([text("a"), text("b")]);
    await agent.prompt("long ago");
    await agent.checkpoint("they said hello");
    await agent.prompt("now");
    const asked = said(requests[1]?.messages ?? []);
    assert.equal(asked.length, 2);
    assert.match(asked[0] ?? "", /they said hello/);
    assert.equal(agent.messages.length, 5);
  });

  it("Middleware surrounds the run: agent_start precedes it and agent_end follows it", async () => {
    const order: string[] = [];
    const { agent } = recordedAgent([text("ok")], {
      middleware: [
        (next) => async (signal) => {
          order.push("enter");
          const result = await next(signal);
          order.push("leave");
          return { ...result, reason: "stopped" };
        },
      ],
    });
    agent.subscribe((event) => {
      if (event.type === "agent_start" || event.type === "agent_end") order.push(event.type);
    });
    assert.equal((await agent.prompt("hi")).reason, "stopped");
    assert.deepEqual(order, ["agent_start", "enter", "leave", "agent_end"]);
  });

  it("B41: middleware enters in order and leaves in reverse", async () => {
    const order: string[] = [];
    const named = (name: string) => (next: (signal: AbortSignal) => Promise<never>) => async (signal: AbortSignal) => {
      order.push(`enter ${name}`);
      const result = await next(signal);
      order.push(`leave ${name}`);
      return result;
    };
    const { agent } = recordedAgent([text("ok")], { middleware: ["A", "B", "C"].map(named) as never });
    await agent.prompt("hi");
    assert.deepEqual(order, ["enter A", "enter B", "enter C", "leave C", "leave B", "leave A"]);
  });

  it("A middleware that gives up on the loop does not leave it running: agent_end is still last", async () => {
    const running = gate();
    const deaf = tool("deaf", () => {
      running.open();
      return new Promise<string>(() => {});
    });
    const { agent, events } = recordedAgent([call("deaf")], {
      tools: [deaf],
      abortGraceMs: 5,
      middleware: [
        (next) => async (signal) => {
          void next(signal);
          await running.opened;
          throw new Error("impatient");
        },
      ],
    });
    await assert.rejects(agent.prompt("hi"), /impatient/);
    assert.equal(events.at(-1)?.type, "agent_end");
    assert.equal(ofType(events, "agent_end").length, 1);
    assert.equal(ofType(events, "tool_execution_end").length, 1);
  });

  it("A middleware may run the loop again: it goes on from the transcript", async () => {
    const { agent } = recordedAgent([fail("once"), text("ok")], {
      middleware: [
        (next) => async (signal) => {
          const first = await next(signal);
          return first.reason === "error" ? next(signal) : first;
        },
      ],
    });
    assert.equal((await agent.prompt("hi")).reason, "done");
    assert.deepEqual(
      said(agent.messages).filter((line) => line.startsWith("user")),
      ["user: hi"],
    );
  });

  it("abort resolves after agent_end", async () => {
    const { agent, events } = recordedAgent([hang()]);
    agent.send("hi");
    await agent.abort();
    assert.equal(events.at(-1)?.type, "agent_end");
  });

  it("A run can be started from a listener of the end of the one before", async () => {
    const { agent, events } = recordedAgent([text("a"), text("b")]);
    const second = gate<string>();
    const unsubscribe = agent.subscribe((event) => {
      if (event.type !== "agent_end") return;
      unsubscribe();
      void agent.run("more").then((message) => second.open(textOf(message)));
    });
    await agent.prompt("hi");
    assert.equal(await second.opened, "b");
    assert.deepEqual(
      story(events).filter((line) => line.includes("agent_")),
      ["main agent_start", "main agent_end done", "main agent_start", "main agent_end done"],
    );
  });

  it("Every event is plain JSON, whatever tools and applications hand in", async () => {
    const { agent, events } = recordedAgent([call("t", { when: new Date(0) }), text("ok")], {
      tools: [
        tool("t", (_args, context) => {
          const odd = { f: () => 1, d: new Date(0), n: Number.NaN, u: undefined, m: new Map([[1, 2]]), big: 1n };
          context.update({ content: "half", details: { ...odd, self: context } });
          return { content: "ok", details: odd };
        }),
      ],
    });
    await agent.prompt([{ ...userMessage("hi"), meta: { call: () => 1, at: new Date(0) } }]);
    for (const event of events) assert.deepEqual(JSON.parse(JSON.stringify(event)), event);
    assert.deepEqual(ofType(events, "tool_execution_end")[0]?.result.details, {
      d: "1970-01-01T00:00:00.000Z",
      n: null,
      m: {},
      big: "1",
    });
  });

  it("Parts that a tool gives are plain in its events, whether it failed or not", async () => {
    const odd = { type: "text" as const, text: "ok", seen: new Date(0), hidden: () => 1 };
    const tools = [tool("t", () => ({ content: [odd] })), tool("f", () => ({ content: [odd], isError: true }))];
    const { agent, events } = recordedAgent([calls({ name: "t" }, { name: "f" }), text("done")], { tools });
    await agent.prompt("hi");
    for (const event of events) assert.deepEqual(JSON.parse(JSON.stringify(event)), event);
    assert.equal(ofType(events, "tool_execution_end").length, 2);
  });

  it("A run ends once its messages and usage are written", async () => {
    const session = new MemorySessionStore();
    const { append } = session;
    session.append = async (agentId, message) => {
      await new Promise(setImmediate);
      return append.call(session, agentId, message);
    };
    const { agent } = recordedAgent([text("ok", { usage: { input: 3 } })], { session });
    await agent.prompt("hi");
    assert.equal((await session.list()).length, 2);
    assert.match(Object.values(await session.getMeta()).join(), /"input":3/);
  });

  it("What is added outside a run is written too, and a rewind waits for it", async () => {
    const session = new MemorySessionStore();
    const { append } = session;
    session.append = async (agentId, message) => {
      await new Promise(setImmediate);
      return append.call(session, agentId, message);
    };
    const { agent } = recordedAgent([], { session });
    agent.addMessage("one");
    agent.addMessage("two");
    await agent.rewindTo(agent.messages[1]?.id ?? "");
    assert.deepEqual(said(agent.messages), ["user: one"]);
    assert.equal((await session.list()).length, 1);
  });

  it("A failed session write is warned of, and the run goes on", async () => {
    const session = new MemorySessionStore();
    session.append = () => Promise.reject(new Error("disk full"));
    const { agent, events } = recordedAgent([text("ok")], { session });
    assert.equal((await agent.prompt("hi")).reason, "done");
    assert.match(ofType(events, "warning")[0]?.message ?? "", /disk full/);
    assert.equal(events.at(-1)?.type, "agent_end");
  });

  it("An agent resumes with the messages and usage that its session kept, and rewinds", async () => {
    const session = new MemorySessionStore();
    const first = recordedAgent([text("one", { usage: { input: 1_000 } }), text("two")], { session });
    await first.agent.prompt("a");
    await first.agent.prompt("b");
    const { model, streamFn } = scriptedModel([text("three")]);
    const resumed = await Agent.resume({ model, streamFn, session });
    assert.equal(resumed.id, first.agent.id);
    assert.deepEqual(resumed.messages, first.agent.messages);
    assert.deepEqual(resumed.usage, first.agent.usage);
    const [, checkpoint = ""] = resumed.state.checkpoints;
    await resumed.rewindTo(checkpoint);
    assert.deepEqual(said(resumed.messages), ["user: a", "assistant: one"]);
    assert.equal(resumed.usage.input, 1_000);
    assert.equal((await session.list()).length, 2);
  });

  it("Rewinding without a session does nothing, while running it is refused", async () => {
    const { agent } = recordedAgent([text("a"), hang()]);
    await agent.prompt("hi");
    await agent.rewindTo(agent.messages[0]?.id ?? "");
    assert.equal(agent.messages.length, 2);
    agent.send("more");
    await assert.rejects(agent.rewindTo("x"), { code: "busy" });
    await agent.abort();
  });

  it("A root agent without a model is refused", () => {
    assert.throws(() => new Agent({}), { code: "bad_input" });
  });
});
