import assert from "node:assert/strict";
import type { Agent } from "../../../src/agent/agent/agent.ts";
import { AgentRegistry } from "../../../src/agent/agent/registry.ts";
import { type AgentDirectory, delegationTools } from "../../../src/agent/toolkits/delegation.ts";
import { emptyTree, foldTree } from "../../../src/agent/tree/reduceTree.ts";
import { type AgentMessage, userMessage } from "../../../src/agent/vocabulary/messages.ts";
import type { AgentSnapshot, EndedRun } from "../../../src/agent/vocabulary/pause.ts";
import { emptyUsage } from "../../../src/agent/vocabulary/usage.ts";
import { ofType, recordedAgent, results, said } from "../../support/agents.ts";
import { call, type Script, text } from "../../support/scriptedModel.ts";

const answer = (words: string, calls: { id: string; name: string; args: unknown }[] = []): AgentMessage => ({
  ...{ role: "assistant", id: `answer ${words} ${calls.length}`, model: "scripted", provider: "test", timestamp: 0 },
  content: [
    ...(words === "" ? [] : [{ type: "text" as const, text: words }]),
    ...calls.map(({ id, name, args }) => ({ type: "toolCall" as const, id, name, arguments: args })),
  ],
  stopReason: calls.length === 0 ? "stop" : "toolUse",
});

const task = (agent: string) => ({ agent, task: `Work of ${agent}`, context: "" });
const spawn = (...agents: string[]) =>
  answer("", [{ id: "c1", name: "spawn_agents", args: { tasks: agents.map(task) } }]);

function child(name: string, messages: AgentMessage[], ended?: EndedRun): AgentSnapshot {
  const usage = { ...emptyUsage(), input: 10 };
  const snapshot = { agentId: `id of ${name}`, name, messages, usage, total: usage, turnIndex: 1, children: {} };
  return ended === undefined ? snapshot : { ...snapshot, ended };
}

/** A root agent that was cut off while these worked. */
function cutOff(script: Script, open: AgentMessage) {
  const registry = new AgentRegistry();
  for (const name of ["one", "two", "three"])
    registry.register({ name, description: name }, () => ({ name, systemPrompt: name, tools: [] }));
  const recorded = recordedAgent(script, {
    messages: [userMessage("Go"), open],
    usage: { ...emptyUsage(), input: 10 },
  });
  recorded.agent.addToolboxes(delegationTools({ agent: recorded.agent, registry, onError: "collect" }));
  return recorded;
}

/** The same, where each task of a call may go on as one agent alone. */
function recordedWith(script: Script, open: AgentMessage, earlierIds: readonly string[]) {
  const recorded = recordedAgent(script, { messages: [userMessage("Go"), open] });
  const registry: AgentDirectory = {
    list: () => [{ name: "one", description: "one" }],
    configuration: (name) => ({ name, systemPrompt: name, tools: [] }),
    watch: { isolate: ({ run, index }) => run({ earlierId: earlierIds[index] ?? "" }) },
  };
  recorded.agent.addToolboxes(delegationTools({ agent: recorded.agent, registry, onError: "collect" }));
  return recorded;
}

const entries = (agent: Agent) => JSON.parse(results(agent.messages)[0] ?? "null");

describe("an agent that continues with the sub-agents of a run that was cut off", () => {
  it("lets each go on from its own messages, under its own id", async () => {
    const begun = [userMessage("Work of two"), answer("Half a thought.")].map((message) =>
      message.role === "assistant" ? { ...message, stopReason: "aborted" as const } : message,
    );
    const { agent, requests, events } = cutOff([text("two is done"), text("all done")], spawn("one", "two"));
    const done = child("one", [userMessage("Work of one"), answer("one is done")]);
    await agent.continue({ children: { c1: [done, child("two", begun)] } });
    assert.equal(requests.length, 2, "what had ended is not asked again");
    assert.deepEqual(said(requests[0]?.messages ?? []), ["user: Work of two"]);
    assert.deepEqual(entries(agent), [
      { agent: "one", result: "one is done" },
      { agent: "two", result: "two is done" },
    ]);
    const starts = ofType(events, "agent_start").map(({ agent: { id }, resumes }) => [id, resumes]);
    assert.deepEqual(starts, [
      [agent.id, true],
      ["id of one", true],
      ["id of two", true],
    ]);
  });

  it("starts those that had not begun", async () => {
    const { agent, requests } = cutOff([text("one is done"), text("two is done"), text("all")], spawn("one", "two"));
    await agent.continue({ children: { c1: [child("one", [userMessage("Work of one")])] } });
    assert.deepEqual(
      requests.slice(0, 2).map(({ messages }) => said(messages)),
      [["user: Work of one"], ["user: Work of two"]],
    );
    assert.equal(entries(agent).length, 2);
  });

  it("gives each its own work, also when another can't be created any more", async () => {
    const { agent, requests } = cutOff([text("two is done"), text("all")], spawn("gone", "two"));
    const begun = (name: string) => child(name, [userMessage(`Work of ${name}`), answer("", [])]);
    const [gone, two] = [begun("gone"), child("two", [userMessage("My own")])];
    await agent.continue({ children: { c1: [gone, two] } });
    assert.deepEqual(said(requests[0]?.messages ?? []), ["user: My own"]);
    assert.match(entries(agent)[0].error, /Unknown agent "gone"/);
  });

  it("gives each of the same name its own work, also when one before it is not known any more", async () => {
    const twice = answer("", [{ id: "c1", name: "spawn_agents", args: { tasks: [task("one"), task("one")] } }]);
    const calls = twice.role === "assistant" ? twice.content : [];
    const [first] = calls;
    assert.ok(first?.type === "toolCall");
    first.arguments = {
      tasks: [
        { ...task("one"), title: "First" },
        { ...task("one"), title: "Second" },
      ],
    };
    const { agent, requests } = cutOff([text("1"), text("2"), text("all")], twice);
    await agent.continue({ children: { c1: [{ ...child("one", [userMessage("My own")]), label: "Second" }] } });
    assert.deepEqual(
      requests.slice(0, 2).map(({ messages }) => said(messages)),
      [["user: Work of one"], ["user: My own"]],
    );
  });

  it("lets a task go on as the very agent that is named for it, and as no other of the same name", async () => {
    const open = answer("", [
      { id: "c1", name: "spawn_agents", args: { tasks: [task("one"), task("one"), task("one")] } },
    ]);
    const { agent, requests } = recordedWith([text("a"), text("b"), text("c"), text("all")], open, ["", "B", "A"]);
    const begun = (id: string) => ({ ...child("one", [userMessage(`Own of ${id}`)]), agentId: id });
    await agent.continue({ children: { c1: [begun("A"), begun("B")] } });
    assert.deepEqual(
      requests.slice(0, 3).map(({ messages }) => said(messages)),
      [["user: Work of one"], ["user: Own of B"], ["user: Own of A"]],
    );
  });

  it("runs none that had been stopped, had failed or had given its result", async () => {
    const work = [
      userMessage("Work"),
      answer("As far as I got.", []),
      answer("", [{ id: "x", name: "read", args: {} }]),
    ];
    const children = [
      child("one", work, { reason: "aborted", error: { code: "aborted", message: "Stopped by the user." } }),
      child("two", work, { reason: "error", error: { code: "provider", message: "No credit." } }),
      child("three", work, { reason: "completed", result: { found: 3 } }),
    ];
    const { agent, requests, events } = cutOff([text("all")], spawn("one", "two", "three"));
    await agent.continue({ children: { c1: children } });
    assert.equal(requests.length, 1);
    const [one, two, three] = entries(agent);
    assert.match(one.error, /"one" was canceled: Stopped by the user\./);
    assert.match(two.error, /"two" failed: No credit\./);
    assert.deepEqual(three, { agent: "three", result: '{"found":3}' });
    assert.deepEqual(
      ofType(events, "agent_end").map(({ reason }) => reason),
      ["aborted", "error", "completed", "done"],
    );
  });

  it("counts what they had spent once, as part of what it had spent itself", async () => {
    const { agent } = cutOff([{ ...text("done"), usage: { input: 5 } }, text("all")], spawn("one"));
    await agent.continue({ children: { c1: [child("one", [userMessage("Work")])] } });
    assert.equal(agent.usage.input, 10 + 5);
  });

  it("adds the time before to the time after, and not that between", () => {
    const at = (seq: number, timestamp: number, body: object) => ({
      ...{ agent: { id: "a", prefix: "", depth: 0 }, sessionId: "s", runId: "r", seq, timestamp },
      ...body,
    });
    const start = (seq: number, timestamp: number, more = {}) => at(seq, timestamp, { type: "agent_start", ...more });
    const end = (seq: number, timestamp: number) =>
      at(seq, timestamp, { type: "agent_end", reason: "aborted", messages: [], usage: emptyUsage() });
    const timeOf = (...events: object[]) => {
      const { a } = foldTree(emptyTree(), events as Parameters<typeof foldTree>[1]).nodes;
      return [a?.earlierMs ?? 0, (a?.endedAt ?? 0) - (a?.startedAt ?? 0)];
    };
    const resumes = { resumes: true };
    const cut = [start(1, 1_000), end(2, 4_000)];
    assert.deepEqual(timeOf(...cut, start(3, 90_000, resumes), end(4, 92_000)), [3_000, 2_000]);
    const twice = [start(3, 90_000, resumes), end(4, 92_000), start(5, 99_000, resumes), end(6, 100_000)];
    assert.deepEqual(timeOf(...cut, ...twice), [5_000, 1_000]);
    assert.deepEqual(timeOf(...cut, start(3, 90_000), end(4, 92_000)), [0, 2_000], "another run begins at nothing");
  });

  it("refuses where there is nothing to go on with", async () => {
    const { agent } = recordedAgent([call("x")], { messages: [userMessage("Go"), answer("Done.")] });
    await assert.rejects(agent.continue({ children: {} }), { code: "cannot_continue" });
  });
});
