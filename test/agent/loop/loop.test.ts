import assert from "node:assert/strict";
import { runLoop } from "../../../src/agent/agent/runLoop.ts";
import type { LoopConfig } from "../../../src/agent/loop/runTypes.ts";
import type { Effect, LoopContext } from "../../../src/agent/vocabulary/hooks.ts";
import { type AgentMessage, textOf, userMessage } from "../../../src/agent/vocabulary/messages.ts";
import { collect, noWaits, ofType, recordedAgent, results, said, seen, tool, typesOf } from "../../support/agents.ts";
import { call, calls, fail, hang, type Script, scriptedModel, text } from "../../support/scriptedModel.ts";

function loop(
  script: Script,
  o: {
    prompts?: AgentMessage[];
    context?: Partial<LoopContext>;
    config?: Partial<LoopConfig>;
    signal?: AbortSignal;
  } = {},
) {
  const { model, streamFn, requests } = scriptedModel(script);
  const context = { systemPrompt: "system", messages: [], tools: [], ...o.context };
  const prompts = o.prompts ?? [userMessage("hi")];
  return { stream: runLoop(prompts, context, { model, streamFn, ...o.config }, o.signal), requests, context };
}

describe("the loop", () => {
  it("B1: a reply without calls is the result", async () => {
    const { result } = await collect(loop([text("hello")]).stream);
    assert.equal(result.reason, "done");
    assert.equal(result.finalMessage && textOf(result.finalMessage), "hello");
    assert.equal(result.result, undefined);
  });

  for (const id of ["B2", "D12"]) {
    it(`${id}: calls are answered and the model is asked again until a reply has none`, async () => {
      const { stream, requests } = loop([call("a"), call("a"), text("done")], { context: { tools: [tool("a", "A")] } });
      const { result } = await collect(stream);
      assert.equal(requests.length, 3);
      assert.deepEqual(
        requests[2]?.messages.map((message) => message.role),
        ["user", "assistant", "toolResult", "assistant", "toolResult"],
      );
      assert.deepEqual(results(result.messages), ["A", "A"]);
    });
  }

  it("B3: maxIterations 2 makes exactly two requests and then fails; 0 is unlimited", async () => {
    const { stream, requests } = loop([call("a"), call("a")], {
      context: { tools: [tool("a")] },
      config: { maxIterations: 2 },
    });
    const { events, result } = await collect(stream);
    assert.equal(requests.length, 2);
    assert.equal(result.error?.code, "max_iterations");
    assert.equal(ofType(events, "limit_reached")[0]?.limit, "iterations");
    const unlimited = loop([call("a"), text("ok")], { context: { tools: [tool("a")] }, config: { maxIterations: 0 } });
    assert.equal((await unlimited.stream.result).reason, "done");
  });

  it("B3: a run that ends on its own at its last allowed request has not failed", async () => {
    const { stream } = loop([text("ok")], { config: { maxIterations: 1 } });
    assert.equal((await stream.result).reason, "done");
  });

  it("B4: what the model request throws is the cause of the run's error", async () => {
    const cause = new Error("no route");
    const { agent } = recordedAgent([{ throws: cause }]);
    await assert.rejects(agent.run("hi"), { message: "no route", cause });
  });

  it("B5: an aborted signal makes no request; the run fails with its cause", async () => {
    const cause = new Error("not today");
    const { agent, requests } = recordedAgent([text("never")]);
    await assert.rejects(agent.run("hi", { signal: AbortSignal.abort(cause) }), { code: "aborted", cause });
    assert.equal(requests.length, 0);
  });

  it("B15: the system prompt is the same, byte by byte, in every request of a run", async () => {
    const { agent, requests } = recordedAgent([call("a"), text("ok")], {
      description: "helps",
      instructions: "be brief",
      projectContext: "a library",
      tools: [tool("a")],
    });
    await agent.prompt("hi");
    assert.equal(requests[0]?.systemPrompt, requests[1]?.systemPrompt);
    assert.match(requests[0]?.systemPrompt ?? "", /You are main/);
  });

  it("B16: a second run refreshes the one system prompt, which comes first", async () => {
    const { agent, requests } = recordedAgent([text("a"), text("b")], { systemPrompt: "old" });
    await agent.prompt("hi");
    agent.setSystemPrompt("new");
    await agent.prompt("more");
    assert.equal(requests[1]?.systemPrompt, "new");
    assert.deepEqual(
      agent.turns().filter((turn) => turn.role === "system"),
      [{ role: "system", text: "new" }],
    );
    assert.equal(agent.turns()[0]?.role, "system");
  });

  it("C1: a plain answer is exactly this sequence of events", async () => {
    const { events } = await collect(loop([text("hello")]).stream);
    assert.deepEqual(typesOf(events), [
      "agent_start",
      "turn_start",
      "message_start",
      "message_end",
      "message_start",
      "message_end",
      "turn_end",
      "agent_end",
    ]);
  });

  it("C2: several prompts come in order inside the first turn, before the model is asked", async () => {
    const { stream, requests } = loop([text("ok")], { prompts: [userMessage("one"), userMessage("two")] });
    const { events } = await collect(stream);
    assert.deepEqual(typesOf(events).slice(1, 6), [
      "turn_start",
      "message_start",
      "message_end",
      "message_start",
      "message_end",
    ]);
    assert.deepEqual(said(requests[0]?.messages ?? []), ["user: one", "user: two"]);
  });

  it("C3: a provider that does not stream still starts its message before it ends it", async () => {
    const { events } = await collect(loop([text("whole", { bulk: true })]).stream);
    const messages = events.filter((event) => event.type.startsWith("message_"));
    assert.deepEqual(
      messages.map((event) => event.type),
      ["message_start", "message_end", "message_start", "message_end"],
    );
    const start = ofType(events, "message_start")[1]?.message;
    assert.deepEqual(start?.role === "assistant" && start.content, []);
  });

  it("C4: one call is exactly this sequence of events", async () => {
    const { events } = await collect(loop([call("a"), text("ok")], { context: { tools: [tool("a")] } }).stream);
    const types = typesOf(events);
    assert.deepEqual(types.slice(types.indexOf("tool_execution_start") - 1, -4), [
      "message_end",
      "tool_execution_start",
      "tool_execution_end",
      "message_start",
      "message_end",
      "turn_end",
      "turn_start",
    ]);
    assert.equal(ofType(events, "turn_end")[0]?.toolResults[0]?.toolName, "a");
  });

  it("C5: the second request shows the user, the answer with its call, and the result", async () => {
    const { stream, requests } = loop([call("a", {}, "c1"), text("ok")], { context: { tools: [tool("a", "A")] } });
    await stream.result;
    assert.deepEqual(
      requests[1]?.messages.map((message) => message.role),
      ["user", "assistant", "toolResult"],
    );
  });

  for (const [how, script] of [
    ["done", [text("ok")]],
    ["error", [fail("no")]],
  ] as const) {
    it(`C6: agent_end (${how}) is last, comes once and has all messages of the run, prompts included`, async () => {
      const { events, result } = await collect(loop(script).stream);
      const ends = ofType(events, "agent_end");
      assert.equal(ends.length, 1);
      assert.equal(events.at(-1), ends[0]);
      assert.equal(ends[0]?.reason, how);
      assert.deepEqual(ends[0]?.messages, result.messages);
      assert.deepEqual(
        result.messages.map((message) => message.role),
        ["user", "assistant"],
      );
    });
  }

  it("C6: steering and follow-ups are among the messages of agent_end", async () => {
    const { agent, events } = recordedAgent([text("a"), text("b"), text("c")]);
    agent.steer("steered");
    agent.followUp("followed");
    await agent.prompt("hi");
    assert.deepEqual(ofType(events, "agent_end")[0]?.messages.map(textOf), ["hi", "steered", "a", "followed", "b"]);
  });

  it("C7: continue starts a turn without any prompt", async () => {
    const { agent, events } = recordedAgent([text("ok")]);
    agent.addMessage("answer this");
    events.length = 0;
    await agent.continue();
    assert.deepEqual(typesOf(events), [
      "agent_start",
      "turn_start",
      "message_start",
      "message_end",
      "turn_end",
      "agent_end",
    ]);
  });

  it("C8: listeners are called in order of events, after the agent's state was updated", async () => {
    const { agent } = recordedAgent([text("ok")]);
    const seqs: number[] = [];
    agent.subscribe((event) => {
      seqs.push(event.seq);
      if (event.type === "message_end") assert.equal(agent.messages.at(-1), event.message);
    });
    await agent.prompt("hi");
    assert.deepEqual(
      seqs,
      [...seqs].sort((a, b) => a - b),
    );
    assert.ok(seqs.length > 8);
  });

  it("C9: a removed listener is not called any more, not even of the event under way", async () => {
    const { agent } = recordedAgent([text("ok")]);
    const heard: string[] = [];
    const remove: (() => void)[] = [];
    agent.subscribe((event) => {
      if (event.type === "turn_start") for (const undo of remove) undo();
    });
    remove.push(agent.subscribe((event) => heard.push(event.type)));
    await agent.prompt("hi");
    assert.deepEqual(heard, ["agent_start"]);
  });

  it("C10: a listener that throws harms neither the run nor the other listeners, and is reported once", async () => {
    const reported: unknown[][] = [];
    const { error } = console;
    console.error = (...given: unknown[]) => void reported.push(given);
    try {
      const { agent, events } = recordedAgent([call("a"), text("ok")], { tools: [tool("a")] });
      agent.subscribe(() => {
        throw new Error("listener");
      });
      const after: unknown[] = [];
      agent.subscribe((event) => after.push(event));
      const run = await agent.prompt("hi");
      assert.equal(run.reason, "done");
      assert.deepEqual(after, events);
      assert.equal(agent.messages.length, 4);
      assert.equal(reported.length, 1);
    } finally {
      console.error = error;
    }
  });

  for (const [how, reply, message] of [
    ["rejects", { throws: new Error("reset") }, /reset/],
    ["ends without a final message", text("half", { unfinished: true }), /without being complete/],
  ] as const) {
    it(`C11: a stream that ${how} appends an error message with its events, then turn and run end`, async () => {
      const { events, result } = await collect(loop([reply]).stream);
      assert.deepEqual(typesOf(events).slice(-4), ["message_start", "message_end", "turn_end", "agent_end"]);
      const last = result.messages.at(-1);
      assert.equal(last?.role === "assistant" && last.stopReason, "error");
      assert.match((last?.role === "assistant" && last.errorMessage) || "", message);
      assert.equal(result.error?.code, "provider");
    });
  }

  for (const id of ["C12", "E11"]) {
    it(`${id}: a failed message runs no tool, polls no queue and makes no further request`, async () => {
      let executed = 0;
      const { agent, events, requests } = recordedAgent([{ ...call("a"), error: "broke" }], {
        tools: [tool("a", () => String(++executed))],
      });
      agent.followUp("later");
      const { result } = await collect(agent.send("hi"));
      assert.equal(result.reason, "error");
      assert.equal(executed, 0);
      assert.equal(requests.length, 1);
      assert.equal(ofType(events, "tool_execution_start").length, 0);
      assert.equal(agent.hasQueued, true);
      assert.equal(agent.status, "idle");
    });
  }

  it("C13: a failed message is left out of later requests", async () => {
    const { agent, requests } = recordedAgent([fail("no", { text: "half" }), text("ok")]);
    await assert.rejects(agent.prompt("hi"));
    await agent.prompt("again");
    assert.deepEqual(said(requests[1]?.messages ?? []), ["user: hi", "user: again"]);
  });

  it("C14: a call without a result in a given transcript is answered with an error before the next message", async () => {
    const orphan: AgentMessage = {
      role: "assistant",
      id: "a",
      content: [{ type: "toolCall", id: "c", name: "look", arguments: {} }],
      model: "m",
      provider: "p",
      stopReason: "toolUse",
      timestamp: 0,
    };
    const { stream, requests } = loop([text("ok")], { context: { messages: [userMessage("old"), orphan] } });
    await stream.result;
    const asked = requests[0]?.messages ?? [];
    assert.deepEqual(
      asked.map((message) => message.role),
      ["user", "assistant", "toolResult", "user"],
    );
    assert.equal(asked[2]?.role === "toolResult" && asked[2].isError, true);
  });

  for (const id of ["C18", "E17"]) {
    it(`${id}: an abort while streaming rejects prompt as aborted, leaves the agent idle and emits no late event`, async () => {
      const { agent, events, model } = recordedAgent([hang({ text: "so far", hang: "deaf" })]);
      const run = agent.prompt("hi");
      await seen(agent, (event) => event.type === "message_update" && event.delta.type === "text_end");
      await agent.abort();
      await assert.rejects(run, { code: "aborted" });
      assert.equal(agent.state.isStreaming, false);
      assert.equal(agent.status, "idle");
      assert.equal(events.at(-1)?.type, "agent_end");
      assert.equal(said(agent.messages).at(-1), "assistant: so far");
      assert.equal(model.open, 1);
    });
  }

  for (const id of ["C19", "E19"]) {
    it(`${id}: aborting an idle agent does nothing`, async () => {
      const { agent, events } = recordedAgent([text("ok")]);
      await agent.abort();
      assert.deepEqual(events, []);
      assert.equal((await agent.prompt("hi")).reason, "done");
      await agent.abort();
      assert.equal(agent.messages.length, 2);
    });
  }

  it("A turn that the provider cut off is asked again from the transcript before it, and the cut part stays for display", async () => {
    const { agent, events, requests } = recordedAgent([fail("reset", { text: "half" }), text("whole")], {
      turnRetries: 1,
      clock: noWaits,
    });
    const run = await agent.prompt("hi");
    assert.equal(run.reason, "done");
    assert.deepEqual(said(requests[1]?.messages ?? []), ["user: hi"]);
    assert.deepEqual(said(agent.messages), ["user: hi", "assistant: half", "assistant: whole"]);
    assert.deepEqual(
      ofType(events, "retry").map(({ attempt, error }) => [attempt, error]),
      [[1, "reset"]],
    );
    assert.deepEqual(
      ofType(events, "turn_start").map((event) => event.index),
      [0, 1],
    );
  });

  it("A turn is asked again no more often than allowed, and never when the answer had not begun", async () => {
    const twice = recordedAgent([fail("reset", { text: "a" }), fail("reset", { text: "b" })], {
      turnRetries: 1,
      clock: noWaits,
    });
    await assert.rejects(twice.agent.prompt("hi"), { code: "provider" });
    assert.equal(twice.requests.length, 2);
    const refused = recordedAgent([fail("401")], { turnRetries: 3 });
    await assert.rejects(refused.agent.prompt("hi"), /401/);
    assert.equal(refused.requests.length, 1);
  });

  it("Each turn has its own attempts", async () => {
    const cut = fail("reset", { text: "half" });
    const { agent, requests } = recordedAgent([cut, call("a"), cut, text("ok")], {
      turnRetries: 1,
      clock: noWaits,
      tools: [tool("a")],
    });
    assert.equal((await agent.prompt("hi")).reason, "done");
    assert.equal(requests.length, 4);
  });

  it("A fault that no second attempt changes is not asked again, even after a part arrived", async () => {
    const refusal = { ...fail("content filter", { text: "I will" }), errorKind: "rejected" as const };
    const { agent, requests } = recordedAgent([refusal], { turnRetries: 3 });
    await assert.rejects(agent.prompt("hi"), /content filter/);
    assert.equal(requests.length, 1);
  });

  it("A context that the provider finds too long is asked about once more, if an effect makes room", async () => {
    const sizes: number[] = [];
    const { agent, requests } = recordedAgent([fail("too long", { errorKind: "context" }), text("ok")], {
      effects: [
        {
          before(info) {
            sizes.push(info.estimatedTokens);
            if (info.estimatedTokens >= 1_000) info.transcript.replace([userMessage("summary")]);
          },
        },
      ],
    });
    assert.equal((await agent.prompt("hi")).reason, "done");
    assert.deepEqual(sizes, [0, 1_000]);
    assert.deepEqual(said(requests[1]?.messages ?? []), ["user: summary"]);
  });

  it("A context that stays too long, or that no effect can shorten, fails without another request", async () => {
    const stays = recordedAgent([fail("too long", { errorKind: "context" })], { effects: [{ before: () => {} }] });
    await assert.rejects(stays.agent.prompt("hi"), /too long/);
    assert.equal(stays.requests.length, 1);
    const again = recordedAgent(
      [fail("too long", { errorKind: "context" }), fail("still too long", { errorKind: "context" })],
      { effects: [{ before: (info) => info.transcript.replace([userMessage("shorter")]) }] },
    );
    await assert.rejects(again.agent.prompt("hi"), /still too long/);
    assert.equal(again.requests.length, 2);
    const none = recordedAgent([fail("too long", { errorKind: "context" })]);
    await assert.rejects(none.agent.prompt("hi"), /too long/);
  });

  it("The context handed in is not changed", async () => {
    const tools = [tool("a")];
    const messages = [userMessage("old")];
    const { stream } = loop([call("a"), text("ok")], { context: { messages, tools } });
    await stream.result;
    assert.deepEqual([messages.length, tools.length], [1, 1]);
  });

  it("A bare loop gives its tools sub-agents too, mirrored into its stream", async () => {
    const spawn = tool("spawn", async (_args, context) => {
      const child = await context.subAgents.create({ name: "child", systemPrompt: "child" }).run("go");
      return textOf(child);
    });
    const { stream } = loop(
      (request) =>
        request.systemPrompt === "child"
          ? text("from child")
          : request.messages.length > 1
            ? text("ok")
            : call("spawn"),
      { context: { tools: [spawn] } },
    );
    const { events, result } = await collect(stream);
    assert.deepEqual(results(result.messages), ["from child"]);
    assert.equal(events.filter((event) => event.type === "agent_end").length, 2);
    assert.equal(events.at(-1)?.agent.depth, 0);
  });

  it("Effects reset, see iterations from 0, and run before, after, then the tools", async () => {
    const order: string[] = [];
    const effect = (name: string): Effect => ({
      name,
      reset: () => void order.push(`${name} reset`),
      before: (info) => void order.push(`${name} ${info.phase} ${info.iteration}`),
      after: (info) => void order.push(`${name} ${info.phase} ${info.iteration}`),
    });
    const { stream } = loop([calls({ name: "a" }), text("ok")], {
      context: { tools: [tool("a", () => `${order.push("tool")}`)] },
      config: { effects: [effect("x"), effect("y")] },
    });
    await stream.result;
    assert.deepEqual(order, [
      "x reset",
      "y reset",
      "x before 0",
      "y before 0",
      "x after 0",
      "y after 0",
      "tool",
      "x before 1",
      "y before 1",
      "x after 1",
      "y after 1",
    ]);
  });
});
