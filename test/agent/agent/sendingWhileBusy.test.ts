import assert from "node:assert/strict";
import type { Agent } from "../../../src/agent/agent/agent.ts";
import { type AgentMessage, textOf, userMessage } from "../../../src/agent/vocabulary/messages.ts";
import { collect, gate, ofType, recordedAgent, results, said, seen, tool } from "../../support/agents.ts";
import { call, fail, hang, text } from "../../support/scriptedModel.ts";

function response(text: string): AgentMessage {
  return { role: "agentResponse", id: crypto.randomUUID(), from: { id: "w", name: "worker" }, text, timestamp: 0 };
}

describe("sending while busy", () => {
  it("E20: a prompt while busy waits, and one further exchange handles it", async () => {
    const { agent } = recordedAgent([text("one"), text("two")], { whenBusy: "followUp" });
    const first = agent.prompt("first");
    const second = agent.prompt("second");
    assert.deepEqual(said(agent.messages), ["user: first"]);
    assert.equal(agent.hasQueued, true);
    await Promise.all([first, second]);
    assert.deepEqual(said(agent.messages), ["user: first", "assistant: one", "user: second", "assistant: two"]);
  });

  it("E20: the stream of a queued send goes from its delivery to the end of that run", async () => {
    const { agent } = recordedAgent([text("one"), text("two")]);
    agent.send("first");
    const { events, result } = await collect(agent.send("second", { whenBusy: "followUp" }));
    assert.equal(events[0]?.type, "queue_update");
    assert.equal(ofType(events, "message_start")[0]?.message.role, "user");
    assert.equal(ofType(events, "agent_end").length, 1);
    assert.equal(result.finalMessage && textOf(result.finalMessage), "two");
  });

  it("E21: a prompt during tools waits for the rest of the exchange; exactly one more follows, none if nothing waits", async () => {
    const { agent, events, requests } = recordedAgent([call("a"), call("b"), text("done"), text("extra")], {
      whenBusy: "followUp",
      tools: [
        tool("a", () => {
          void agent.prompt("queued");
          return "ok";
        }),
        tool("b"),
      ],
    });
    await agent.prompt("hi");
    assert.equal(requests.length, 4);
    assert.equal(said(agent.messages).at(-2), "user: queued");
    assert.equal(ofType(events, "agent_end").length, 1);
  });

  it("E22: after an abort, what is queued starts an exchange on its own where the agent resumes", async () => {
    const { agent, events } = recordedAgent([hang(), text("answer")], {
      whenBusy: "followUp",
      resumeQueuedAfterAbort: true,
    });
    agent.send("first");
    const second = agent.prompt("second");
    await seen(agent, (event) => event.type === "message_start" && event.message.role === "assistant");
    await agent.abort();
    assert.equal(agent.status, "idle");
    const run = await second;
    assert.equal(run.finalMessage && textOf(run.finalMessage), "answer");
    await agent.waitForIdle();
    assert.deepEqual(
      ofType(events, "agent_end").map((end) => end.reason),
      ["aborted", "done"],
    );
  });

  it("E22: a message that failed in its own exchange is not tried again on its own", async () => {
    const { agent, requests } = recordedAgent([fail("no"), fail("still no")], {
      whenBusy: "followUp",
      resumeQueuedAfterAbort: true,
    });
    const first = agent.prompt("first");
    const second = agent.prompt("second");
    await assert.rejects(first, /no/);
    await assert.rejects(second, /still no/);
    await agent.waitForIdle();
    assert.equal(requests.length, 2);
    assert.equal(agent.hasQueued, false);
  });

  it("E22: without that, nothing starts on its own", async () => {
    const { agent, events } = recordedAgent([hang()]);
    agent.send("first");
    agent.followUp("second");
    await agent.abort();
    await agent.waitForIdle();
    assert.equal(ofType(events, "agent_start").length, 1);
    assert.equal(agent.hasQueued, true);
  });

  it("E23: two responses that arrive during one stream are seen by exactly one further exchange", async () => {
    const open = gate();
    const { agent, requests } = recordedAgent([text("one", { until: open.opened }), text("two")]);
    const run = agent.prompt("hi");
    agent.followUp(response("first"));
    agent.followUp(response("second"));
    open.open();
    await run;
    assert.equal(requests.length, 2);
    assert.deepEqual(said(requests[1]?.messages ?? []).slice(-2), [
      "user: Response from worker: first",
      "user: Response from worker: second",
    ]);
    assert.equal(agent.hasQueued, false);
  });

  it('A send that steers enters at the next turn (whenBusy "steer")', async () => {
    const open = gate();
    const { agent } = recordedAgent([text("one", { until: open.opened }), text("two")], { whenBusy: "steer" });
    const first = agent.prompt("hi");
    const second = agent.prompt("wait");
    open.open();
    await Promise.all([first, second]);
    assert.deepEqual(said(agent.messages), ["user: hi", "assistant: one", "user: wait", "assistant: two"]);
  });

  it("A queued send whose signal aborts before its delivery is removed and rejects", async () => {
    const { agent } = recordedAgent([text("one"), text("two")]);
    const first = agent.prompt("hi");
    const own = new AbortController();
    const second = agent.prompt("never", { whenBusy: "followUp", signal: own.signal });
    own.abort("changed my mind");
    await assert.rejects(second, { code: "aborted" });
    await first;
    assert.deepEqual(said(agent.messages), ["user: hi", "assistant: one"]);
  });

  it("A queued send that is cleared, reset or disposed away settles as aborted", async () => {
    const { agent } = recordedAgent([hang()]);
    agent.send("hi");
    const waiting = agent.prompt("never", { whenBusy: "followUp" });
    const dropped = assert.rejects(waiting, { code: "aborted" });
    await agent.dispose();
    await dropped;
    assert.equal((await agent.send("more").result).error?.code, "scope_closed");
  });

  it("One message sent twice is two messages, each with an id of its own", async () => {
    const message = userMessage("again");
    const { agent } = recordedAgent([text("one"), text("two"), text("three")]);
    agent.followUp(message);
    await agent.prompt(message);
    await agent.prompt(message);
    agent.addMessage(message);
    const ids = agent.messages.map(({ id }) => id);
    assert.equal(ids.length, 7);
    assert.equal(new Set(ids).size, 7);
    assert.ok(ids.includes(message.id));
  });

  it("A tool that waits for a prompt of its own agent learns that it can't, and the message is delivered", async () => {
    let own: Agent | undefined;
    const waits = tool("waits", async () => {
      await new Promise(setImmediate);
      await own?.prompt("later", { whenBusy: "followUp" });
      return "unreachable";
    });
    const { agent } = recordedAgent([call("waits"), text("one"), text("two")], { tools: [waits] });
    own = agent;
    await agent.prompt("go");
    assert.match(results(agent.messages)[0] ?? "", /can't wait for it/);
    assert.deepEqual(said(agent.messages).slice(-2), ["user: later", "assistant: two"]);
  });

  it("A tool that does not wait for such a prompt harms nothing", async () => {
    let own: Agent | undefined;
    const sends = tool("sends", () => {
      void own?.prompt("later", { whenBusy: "followUp" });
      return "sent";
    });
    const { agent } = recordedAgent([call("sends"), text("one"), text("two")], { tools: [sends] });
    own = agent;
    await agent.prompt("go");
    await new Promise(setImmediate);
    assert.deepEqual(said(agent.messages).slice(-2), ["user: later", "assistant: two"]);
  });

  it("userMessage keeps its identity through the queue", async () => {
    const message = userMessage("later");
    const { agent } = recordedAgent([text("one"), text("two")]);
    agent.followUp(message);
    await agent.prompt("hi");
    assert.equal(agent.messages[2]?.id, message.id);
  });
});
