import assert from "node:assert/strict";
import type { AgentEvent } from "../../../src/agent/vocabulary/events.ts";
import type { MessageDelta } from "../../../src/agent/vocabulary/model.ts";
import { collect, ofType, recordedAgent, said, seenType, tool, typesOf } from "../../support/agents.ts";
import { call, calls, fail, hang, text } from "../../support/scriptedModel.ts";

/** The part-level view of a run: whole texts, whole thoughts, calls. */
function parts(events: readonly AgentEvent[]): string[] {
  return ofType(events, "message_update").flatMap(({ delta }) => partOf(delta));
}

function partOf(delta: MessageDelta): string[] {
  if (delta.type === "text_end" || delta.type === "thinking_end") return [`${delta.type} ${delta.content}`];
  return delta.type === "toolcall_end" ? [`toolcall_end ${delta.call.id}`] : [];
}

describe("the events of a run", () => {
  it("A1: a plain answer reports the complete text, the completed turn and the end, in that order", async () => {
    const { agent } = recordedAgent([text("hello")]);
    const { events } = await collect(agent.send("hi"));
    const told = events.filter(
      (event) =>
        (event.type === "message_update" && event.delta.type === "text_end") ||
        (event.type === "message_end" && event.message.role === "assistant") ||
        event.type === "agent_end",
    );
    assert.deepEqual(
      told.map((event) => event.type),
      ["message_update", "message_end", "agent_end"],
    );
    assert.deepEqual(parts(events), ["text_end hello"]);
  });

  it("A2: deltas of an open part are no complete text; exactly one event brings the whole", async () => {
    const { agent, events } = recordedAgent([text("a long answer", { pieces: 5 })]);
    await agent.prompt("hi");
    const deltas = ofType(events, "message_update").map((event) => event.delta);
    assert.equal(deltas.filter((delta) => delta.type === "text_delta").length, 5);
    assert.deepEqual(parts(events), ["text_end a long answer"]);
  });

  it("A3: a thought is reported whole before the text that follows it", async () => {
    const { agent, events } = recordedAgent([text("so", { thinking: "because" })]);
    await agent.prompt("hi");
    assert.deepEqual(parts(events), ["thinking_end because", "text_end so"]);
  });

  it("A4: a call is reported once per id, also when the stream announces it twice", async () => {
    const again = { type: "toolCall" as const, id: "c", name: "look", arguments: {} };
    const reply = { first: [{ type: "toolcall_end" as const, index: 0, call: again }], ...call("look", {}, "c") };
    const { agent, events } = recordedAgent([reply, text("done")], { tools: [tool("look")] });
    await agent.prompt("hi");
    assert.deepEqual(parts(events), ["toolcall_end c", "text_end done"]);
    assert.equal(ofType(events, "tool_execution_start").length, 1);
  });

  it("A5: a call is reported, its turn's message completed, the tool run, and only then the model asked again", async () => {
    const order: string[] = [];
    const { agent, events, requests } = recordedAgent([call("look", {}, "c"), text("done")], {
      tools: [tool("look", () => `${order.push(`run after ${requests.length}`)}`)],
    });
    agent.subscribe((event) => order.push(event.type));
    await agent.prompt("hi");
    assert.deepEqual(
      order.filter((entry) => !/update|turn|agent|start/.test(entry)),
      ["message_end", "message_end", "run after 1", "tool_execution_end", "message_end", "message_end"],
    );
    assert.equal(requests.length, 2);
    assert.equal(parts(events)[0], "toolcall_end c");
  });

  for (const [how, script] of [
    ["an answer", [text("ok")]],
    ["a provider fault", [fail("no")]],
    ["a throw of the stream", [{ throws: new Error("no") }]],
  ] as const) {
    it(`A6: after ${how} there is exactly one terminal event, it is the last, and the stream ends`, async () => {
      const { agent } = recordedAgent(script);
      const { events } = await collect(agent.send("hi"));
      assert.equal(ofType(events, "agent_end").length, 1);
      assert.equal(events.at(-1)?.type, "agent_end");
    });
  }

  it("A6: after an abort too, the one terminal event is the last", async () => {
    const { agent } = recordedAgent([hang({ text: "so far" })]);
    const stream = agent.send("hi");
    await seenType(agent, "message_update");
    await agent.abort();
    const { events } = await collect(stream);
    assert.equal(ofType(events, "agent_end").length, 1);
    assert.equal(events.at(-1)?.type, "agent_end");
  });

  it("A7: the agent is running as soon as send returns and idle once the stream has ended", async () => {
    const { agent } = recordedAgent([text("ok")]);
    const stream = agent.send("hi");
    assert.equal(agent.status, "streaming");
    for await (const event of stream) assert.equal(agent.status, event.type === "agent_end" ? "idle" : agent.status);
    assert.equal(agent.status, "idle");
  });

  it("A8: a second send while running gets one busy event of its own and disturbs nothing", async () => {
    const { agent, events } = recordedAgent([hang()]);
    const first = agent.send("one");
    const second = await collect(agent.send("two"));
    assert.deepEqual(typesOf(second.events), ["agent_end"]);
    assert.equal(second.result.error?.code, "busy");
    assert.deepEqual(said(agent.messages), ["user: one"]);
    assert.equal(agent.status, "streaming");
    await agent.abort();
    assert.equal((await first.result).reason, "aborted");
    assert.equal(ofType(events, "agent_end").length, 1);
  });

  it("A8: a refused send takes no place in the order of events", async () => {
    const { agent, events } = recordedAgent([hang()]);
    agent.send("one");
    await collect(agent.send("two"));
    await agent.abort();
    assert.deepEqual(
      events.map((event) => event.seq),
      events.map((_event, index) => index + 1),
    );
  });

  it("A9: adding a message is refused while running and asks no model when idle", async () => {
    const { agent, requests } = recordedAgent([hang(), text("ok")]);
    agent.send("one");
    assert.throws(() => agent.addMessage("two"), { code: "busy" });
    await agent.abort();
    const asked = requests.length;
    agent.addMessage("three");
    assert.equal(said(agent.messages).at(-1), "user: three");
    assert.equal(agent.status, "idle");
    assert.equal(requests.length, asked);
  });

  it("A10: an abort ends the run as aborted with its cause, never as an error", async () => {
    const { agent } = recordedAgent([hang()]);
    const stream = agent.send("hi");
    const cause = new Error("enough");
    await agent.abort(cause);
    const { events, result } = await collect(stream);
    const end = ofType(events, "agent_end")[0];
    assert.equal(end?.reason, "aborted");
    assert.match(end?.error?.message ?? "", /enough/);
    assert.equal(result.error?.cause, cause);
  });

  it("A10: a signal that times out aborts likewise", async () => {
    const { agent } = recordedAgent([hang()]);
    const { result } = await collect(agent.send("hi", { signal: AbortSignal.timeout(1) }));
    assert.equal(result.reason, "aborted");
    assert.equal(result.error?.code, "aborted");
  });

  it("A11: a turn that the provider canceled is completed first, then the run ends as aborted", async () => {
    const { agent, events } = recordedAgent([text("part", { stopReason: "aborted" })]);
    const { result } = await collect(agent.send("hi"));
    assert.deepEqual(typesOf(events).slice(-3), ["message_end", "turn_end", "agent_end"]);
    assert.equal(result.reason, "aborted");
  });

  for (const [reason, reply] of [
    ["an error", fail("overloaded")],
    ["a denied permission", fail("permission denied: overloaded")],
    ["an unknown finish reason", text("x", { stopReason: "overloaded" as "stop" })],
  ] as const) {
    it(`A12: ${reason} completes the turn and then ends the run with an error that names it`, async () => {
      const { agent, events } = recordedAgent([reply]);
      const { result } = await collect(agent.send("hi"));
      assert.deepEqual(typesOf(events).slice(-3), ["message_end", "turn_end", "agent_end"]);
      assert.equal(result.reason, "error");
      assert.match(result.error?.message ?? "", /overloaded/);
    });
  }

  it("A13: the output limit without calls ends the run with an error that says so", async () => {
    const { agent } = recordedAgent([text("cut", { stopReason: "length" })]);
    const { result } = await collect(agent.send("hi"));
    assert.equal(result.reason, "error");
    assert.equal(result.error?.code, "max_tokens");
    assert.match(result.error?.message ?? "", /output limit/);
  });

  it("A14: tool use as the finish reason without calls ends the run with an error", async () => {
    const { agent } = recordedAgent([text("hm", { stopReason: "toolUse" })]);
    const { result } = await collect(agent.send("hi"));
    assert.equal(result.reason, "error");
    assert.equal(result.error?.code, "provider");
  });

  it("A15: a stream that closes without a final message ends the run with an error and keeps the text", async () => {
    const { agent } = recordedAgent([text("half", { unfinished: true })]);
    const { result } = await collect(agent.send("hi"));
    assert.equal(result.reason, "error");
    assert.equal(said(agent.messages).at(-1), "assistant: half");
  });

  it("A16: warnings and retries of a request are passed on, and the run goes on", async () => {
    const { agent, events } = recordedAgent([
      text("ok", {
        first: [
          { type: "warning", message: "slow" },
          { type: "retry", attempt: 1, delayMs: 10, error: "503" },
        ],
      }),
    ]);
    const { result } = await collect(agent.send("hi"));
    assert.equal(result.reason, "done");
    assert.equal(ofType(events, "warning")[0]?.message, "slow");
    assert.deepEqual(ofType(events, "retry")[0]?.attempt, 1);
  });

  it("A17: a consumer that stops reading blocks nothing, and what it left can still be read", async () => {
    const { agent } = recordedAgent([calls({ name: "look" }, { name: "look" }), text("ok")], { tools: [tool("look")] });
    const stream = agent.send("hi");
    for await (const event of stream) if (event.type === "turn_start") break;
    assert.equal((await stream.result).reason, "done");
    const rest: AgentEvent[] = [];
    for await (const event of stream) rest.push(event);
    assert.equal(rest[0]?.type, "message_start");
    assert.equal(rest.at(-1)?.type, "agent_end");
  });
});
