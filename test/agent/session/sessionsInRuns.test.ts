import assert from "node:assert/strict";
import * as z from "zod";
import { Agent } from "../../../src/agent/agent/agent.ts";
import { MemorySessionStore } from "../../../src/agent/session/memory.ts";
import { emptyTree, reduceTree } from "../../../src/agent/tree.ts";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import { defineTool } from "../../../src/agent/vocabulary/tools.ts";
import { ofType } from "../../support/agents.ts";
import { assistant, user } from "../../support/events.ts";
import { calling, summary, toolCall } from "../../support/messages.ts";
import { echoTool, shown, testAgent } from "../../support/scriptedAgents.ts";
import { call, calls, hang, scriptedModel, text } from "../../support/scriptedModel.ts";

async function roles(store: MemorySessionStore): Promise<string[]> {
  return (await store.list()).map((row) => row.message.role);
}

describe("the session of an agent", () => {
  it("E47: has every message of a run, in order, with ascending ids", async () => {
    const session = new MemorySessionStore();
    const { agent } = testAgent([call("echo"), text("done")], { session, tools: [echoTool()] });
    await agent.prompt("hi");
    const rows = await session.list({ agentId: agent.id });
    assert.deepEqual(
      rows.map((row) => row.message.role),
      ["user", "assistant", "toolResult", "assistant"],
    );
    const ids = rows.map((row) => row.id);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    );
    assert.deepEqual(
      rows.map((row) => row.message.id),
      agent.messages.map((message) => message.id),
    );
  });

  it("E48: has a prompt that waited after the answer it waited for", async () => {
    const session = new MemorySessionStore();
    const gate = Promise.withResolvers<void>();
    const { agent } = testAgent([{ ...text("one"), until: gate.promise }, text("two")], {
      session,
      whenBusy: "followUp",
    });
    const first = agent.prompt("a");
    const second = agent.prompt("b");
    gate.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(await roles(session), ["user", "assistant", "user", "assistant"]);
    assert.deepEqual(
      (await session.list()).map((row) => textOf(row.message)),
      ["a", "one", "b", "two"],
    );
  });

  it("E49: rewinding removes a message and all after it, from store and memory; what was spent stays spent", async () => {
    const session = new MemorySessionStore();
    const { agent } = testAgent(
      [
        { ...text("one"), usage: { cost: 1 } },
        { ...text("two"), usage: { cost: 1 } },
      ],
      { session },
    );
    await agent.prompt("a");
    await agent.prompt("b");
    const [, second] = agent.state.checkpoints;
    await agent.rewindTo(second ?? "");
    assert.deepEqual(agent.messages.map(textOf), ["a", "one"]);
    assert.equal((await session.list()).length, 2);
    assert.equal(agent.state.checkpoints.length, 1);
    assert.equal(agent.usage.cost, 2);
  });

  it("E49: rewinding to the first message leaves nothing", async () => {
    const session = new MemorySessionStore();
    const { agent } = testAgent([text("one")], { session });
    await agent.prompt("a");
    await agent.rewindTo(agent.state.checkpoints[0] ?? "");
    assert.deepEqual([agent.messages, await session.list()], [[], []]);
  });

  it("E49: rewinding does nothing without a session, and is refused while running", async () => {
    const without = testAgent([text("one")]);
    await without.agent.prompt("a");
    await without.agent.rewindTo(without.agent.state.checkpoints[0] ?? "");
    assert.equal(without.agent.messages.length, 2);
    const running = testAgent([hang()], { session: new MemorySessionStore() });
    const stream = running.agent.send("a");
    await assert.rejects(running.agent.rewindTo("any"), { code: "busy" });
    await running.agent.abort();
    await stream.result;
  });

  it("E49: rewinding one agent of a session rewinds the others too", async () => {
    const session = new MemorySessionStore();
    const { agent } = testAgent([text("one"), text("two")], { session });
    await agent.prompt("a");
    await session.append("other", user("x", "later"));
    await agent.rewindTo(agent.state.checkpoints[0] ?? "");
    assert.deepEqual(await session.list(), []);
  });

  it("E50: what was spent is saved with the session and there again on resume", async () => {
    const session = new MemorySessionStore();
    const options = { id: "main", session };
    const { agent } = testAgent([{ ...text("one"), usage: { input: 5, cost: 2 } }], options);
    await agent.prompt("a");
    const { model, streamFn } = scriptedModel([]);
    const resumed = await Agent.resume({ ...options, model, streamFn });
    assert.deepEqual(resumed.usage, agent.usage);
    assert.deepEqual(
      resumed.messages.map((message) => message.id),
      agent.messages.map((message) => message.id),
    );
  });

  it("E50: what sub-agents spent is there again on resume, apart from the agent's own", async () => {
    const session = new MemorySessionStore();
    const delegate = defineTool({
      name: "delegate",
      description: "Asks a sub-agent.",
      schema: z.object({}),
      execute: async (_, { subAgents }) => {
        await subAgents.create({}).prompt("Do it.");
        return "done";
      },
    });
    const replies = [
      { ...call("delegate", {}), usage: { cost: 1 } },
      { ...text("one"), usage: { cost: 2 } },
      text("two"),
    ];
    const { agent, model, streamFn } = testAgent(replies, { id: "main", session, tools: [delegate] });
    await agent.prompt("a");
    const resumed = await Agent.resume({ id: "main", session, model, streamFn });
    assert.deepEqual([resumed.usage.cost, resumed.ownUsage.cost], [3, 1]);
    assert.deepEqual([resumed.usage, resumed.ownUsage], [agent.usage, agent.ownUsage]);
  });

  it("E51: a session that ends with unanswered calls goes on with an answer for each", async () => {
    const session = new MemorySessionStore();
    await session.append("main", user("u", "hi"));
    await session.append("main", calling("a", toolCall("1", "echo")));
    const scripted = scriptedModel([text("done")]);
    const resumed = await Agent.resume({ id: "main", session, model: scripted.model, streamFn: scripted.streamFn });
    await resumed.prompt("Go on.");
    assert.deepEqual(
      scripted.requests[0]?.messages.map((message) => message.role),
      ["user", "assistant", "toolResult", "user"],
    );
  });

  it("E50: has the prompt, the call and what they cost before a tool runs, and each result once its call has ended", async () => {
    const session = new MemorySessionStore();
    const seen: unknown[] = [];
    const look = async () => {
      const roles = (await session.list()).map(({ message }) => message.role);
      const { usage } = await Agent.resume({ id: "main", session, model, streamFn });
      seen.push([roles, usage.cost]);
    };
    const gate = Promise.withResolvers<void>();
    const slow = defineTool({
      name: "slow",
      description: "Waits for the quick one's result.",
      schema: z.object({}),
      async execute() {
        await look();
        await gate.promise;
        await look();
        return "slow result";
      },
    });
    const { agent, model, streamFn, events } = testAgent(
      [{ ...calls({ name: "slow" }, { name: "echo" }), usage: { cost: 1 } }, text("done")],
      { id: "main", session, tools: [slow, echoTool()] },
    );
    agent.subscribe((event) => {
      if (event.type === "tool_execution_end" && event.toolName === "echo") setImmediate(gate.resolve);
    });
    await agent.prompt("a");
    assert.deepEqual(seen, [
      [["user", "assistant"], 1],
      [["user", "assistant", "toolResult"], 1],
    ]);
    const stored = await Agent.resume({ id: "main", session, model, streamFn });
    assert.deepEqual(stored.messages, agent.messages);
    assert.equal(ofType(events, "message_end").filter(({ message }) => message.role === "toolResult").length, 2);
  });

  it("E50: counts an answer whose cost was not saved any more", async () => {
    const session = new MemorySessionStore();
    const usage = { input: 5, output: 2, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 3 };
    await session.append("main", user("u", "hi"));
    await session.append("main", { ...calling("a", toolCall("1", "echo")), usage });
    const { model, streamFn } = scriptedModel([]);
    const resumed = await Agent.resume({ id: "main", session, model, streamFn });
    assert.deepEqual([resumed.usage, resumed.ownUsage], [usage, usage]);
  });

  it("E55: after a reload, the messages a summary kept are still shown", async () => {
    const session = new MemorySessionStore();
    const stored = [user("1", "a"), assistant("2", "b"), user("3", "c"), assistant("4", "d"), summary("s", "S", "3")];
    for (const message of stored) await session.append("main", message);
    const scripted = scriptedModel([text("done")]);
    const resumed = await Agent.resume({ id: "main", session, model: scripted.model, streamFn: scripted.streamFn });
    await resumed.prompt("e");
    assert.deepEqual(shown(scripted.requests[0]).slice(1), ["c", "d", "e"]);
    assert.match(shown(scripted.requests[0])[0] ?? "", /S/);
    assert.equal(resumed.messages.length, 7);
  });

  it("E53: a compaction is a checkpoint of the session", async () => {
    const session = new MemorySessionStore();
    const { agent } = testAgent([text("done")], { session, compactor: async () => ({ summary: "S" }) });
    await agent.prompt("a");
    assert.deepEqual(await roles(session), ["user", "summary", "assistant"]);
    assert.deepEqual(
      (await session.latestChapter()).rows.map((row) => row.message.role),
      ["summary", "assistant"],
    );
  });

  it("folds to the same messages as the agent has, whatever happened to them", async () => {
    const session = new MemorySessionStore();
    const { agent, events } = testAgent([text("one"), text("two"), text("three")], { session });
    await agent.prompt("a");
    await agent.prompt("b");
    await agent.rewindTo(agent.state.checkpoints[1] ?? "");
    await agent.checkpoint("Only a.");
    agent.addMessage("noted");
    await agent.prompt("c");
    const node = events.reduce(reduceTree, emptyTree()).nodes[agent.id];
    assert.deepEqual(node?.messages, agent.messages);
    assert.deepEqual(node?.total, agent.usage);
  });
});
