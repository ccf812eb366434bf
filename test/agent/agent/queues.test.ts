import assert from "node:assert/strict";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import { ofType, recordedAgent, results, said, seen, tool, typesOf } from "../../support/agents.ts";
import { call, calls, fail, hang, text } from "../../support/scriptedModel.ts";

describe("steering and follow-ups", () => {
  it("C42: a message steered before the run comes after the prompt and before the first request", async () => {
    const { agent, events, requests } = recordedAgent([text("ok")]);
    agent.steer("mind the gap");
    await agent.prompt("hi");
    assert.deepEqual(said(requests[0]?.messages ?? []), ["user: hi", "user: mind the gap"]);
    assert.equal(ofType(events, "turn_start").length, 1);
  });

  it("C43: a message steered during tools waits for the whole batch and enters at the next turn's start", async () => {
    const { agent, events, requests } = recordedAgent([calls({ name: "a" }, { name: "b" }), text("ok")], {
      toolExecution: "sequential",
      tools: [tool("a", () => agent.steer("stop that").id), tool("b", "b ran")],
    });
    await agent.prompt("hi");
    assert.equal(results(agent.messages)[1], "b ran");
    assert.equal(requests[1]?.messages.at(-1)?.role, "user");
    const types = typesOf(events);
    const second = types.lastIndexOf("turn_start");
    assert.deepEqual(types.slice(second - 2, second + 3), [
      "turn_end",
      "queue_update",
      "turn_start",
      "message_start",
      "message_end",
    ]);
  });

  it("C44: two steered messages are spread over two requests by default", async () => {
    const { agent, requests } = recordedAgent([text("a"), text("b")]);
    agent.steer("one");
    agent.steer("two");
    await agent.prompt("hi");
    assert.deepEqual(said(requests[0]?.messages ?? []), ["user: hi", "user: one"]);
    assert.equal(said(requests[1]?.messages ?? []).at(-1), "user: two");
  });

  it('C44: in mode "all" both enter one request', async () => {
    const { agent, requests } = recordedAgent([text("a")], { steeringMode: "all" });
    agent.steer("one");
    agent.steer("two");
    await agent.prompt("hi");
    assert.deepEqual(said(requests[0]?.messages ?? []), ["user: hi", "user: one", "user: two"]);
  });

  it("C45: a follow-up is looked at when no calls and no steering are left, and leads to another turn of the same run", async () => {
    const { agent, events } = recordedAgent([call("a"), text("b"), text("c"), text("d")], {
      tools: [tool("a", () => agent.steer("steered").id)],
    });
    agent.followUp("followed");
    await agent.prompt("hi");
    assert.deepEqual(agent.messages.filter((message) => message.role !== "toolResult").map(textOf), [
      "hi",
      "",
      "steered",
      "b",
      "followed",
      "c",
    ]);
    assert.equal(ofType(events, "agent_start").length, 1);
  });

  it('C45: in mode "all" the follow-ups share one turn', async () => {
    const { agent, requests } = recordedAgent([text("a"), text("b")], { followUpMode: "all" });
    agent.followUp("one");
    agent.followUp("two");
    await agent.prompt("hi");
    assert.equal(requests.length, 2);
    assert.deepEqual(said(requests[1]?.messages ?? []).slice(-2), ["user: one", "user: two"]);
  });

  it("C46: steering goes before follow-ups", async () => {
    const { agent } = recordedAgent([text("a"), text("b"), text("c")]);
    await agent.prompt("hi");
    agent.followUp("later");
    agent.steer("now");
    await agent.continue();
    assert.deepEqual(said(agent.messages).slice(2), ["user: now", "assistant: b", "user: later", "assistant: c"]);
  });

  it("C47: clearing and asking work per queue", () => {
    const { agent } = recordedAgent([]);
    assert.equal(agent.hasQueued, false);
    const handle = agent.steer("one");
    agent.followUp("two");
    assert.equal(agent.cancelQueued(handle), true);
    assert.equal(agent.cancelQueued(handle), false);
    assert.equal(agent.hasQueued, true);
    agent.clearQueues("steering");
    assert.equal(agent.hasQueued, true);
    agent.clearQueues();
    assert.equal(agent.hasQueued, false);
  });

  it("C47: a message that was removed is never delivered", async () => {
    const { agent } = recordedAgent([text("a")]);
    agent.cancelQueued(agent.followUp("never"));
    await agent.prompt("hi");
    assert.deepEqual(said(agent.messages), ["user: hi", "assistant: a"]);
  });

  it("C48: after a run that was aborted, queued messages stay queued", async () => {
    const { agent } = recordedAgent([hang(), text("ok"), text("then")]);
    const stream = agent.send("hi");
    agent.followUp("later");
    await seen(agent, (event) => event.type === "message_start" && event.message.role === "assistant");
    await agent.abort();
    assert.equal((await stream.result).reason, "aborted");
    assert.equal(agent.hasQueued, true);
    await agent.prompt("more");
    assert.deepEqual(said(agent.messages).slice(-3), ["assistant: ok", "user: later", "assistant: then"]);
  });

  it("C48: after a run that failed, queued messages stay queued", async () => {
    const { agent } = recordedAgent([fail("no"), text("ok"), text("then")]);
    agent.followUp("later");
    await assert.rejects(agent.prompt("hi"));
    assert.equal(agent.hasQueued, true);
    await agent.prompt("more");
    assert.deepEqual(said(agent.messages).slice(-3), ["assistant: ok", "user: later", "assistant: then"]);
  });

  it("An abort while the queues are polled loses no message", async () => {
    const { agent } = recordedAgent([text("a"), text("b")], {
      hooks: {
        getFollowUpMessages() {
          void agent.abort();
          return [];
        },
      },
    });
    agent.followUp("kept");
    await assert.rejects(agent.prompt("hi"), { code: "aborted" });
    assert.equal(agent.hasQueued, true);
  });

  it("A message that was reported as delivered is in the transcript, also when that very moment aborts the run", async () => {
    const { agent } = recordedAgent([text("a")]);
    agent.subscribe((event) => {
      if (event.type === "queue_update" && event.delivered !== undefined) void agent.abort();
    });
    agent.followUp("kept");
    await assert.rejects(agent.prompt("hi"), { code: "aborted" });
    assert.deepEqual(said(agent.messages), ["user: hi", "assistant: a", "user: kept"]);
    assert.equal(agent.hasQueued, false);
  });

  it("queue_update reports what waits while running and what was delivered, and nothing while idle", async () => {
    const { agent, events } = recordedAgent([text("a", { until: Promise.resolve() }), text("b")]);
    agent.steer("before");
    assert.deepEqual(events, []);
    const run = agent.prompt("hi");
    agent.followUp("during");
    await run;
    assert.deepEqual(
      ofType(events, "queue_update").map(({ steering, followUp, kind, delivered }) => [
        steering,
        followUp,
        kind,
        delivered && textOf(delivered),
      ]),
      [
        [0, 0, "steering", "before"],
        [0, 1, undefined, undefined],
        [0, 0, "followUp", "during"],
      ],
    );
  });
});
