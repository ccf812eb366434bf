import assert from "node:assert/strict";
import { Agent, AgentRegistry, delegationTools, emptyTree, foldTree, type Model } from "../../../../src/agent/index.ts";
import type { DelegationWatch } from "../../../../src/agent/toolkits/delegation.ts";
import { branchOf, retriedTask } from "../../../../src/extension/chat/agents/retriedTask.ts";
import { Chat } from "../../../../src/extension/chat/chat.ts";
import { runNotice } from "../../../../src/extension/chat/notices.ts";
import { foldLog } from "../../../../src/extension/chat/restore/restoredChat.ts";
import { arrangedRuns, byName } from "../../../support/chatRuns.ts";
import { user } from "../../../support/events.ts";
import { call, fail, type Reply, type Script, scriptedModel, text } from "../../../support/scriptedModel.ts";

const tasks = [
  { agent: "explore", title: "Look at the docs", task: "Read the docs", context: "They are in docs/." },
  { agent: "explore", title: "Find the callers", task: "Find all callers", context: "Of `login`." },
];

function chatWith(script: Script, watch?: DelegationWatch) {
  const { model, streamFn, requests } = scriptedModel(script);
  const registry = new AgentRegistry();
  const directory = {
    list: () => registry.list(),
    configuration: (name: string) => registry.configuration(name),
    watch,
  };
  const chat: Chat = new Chat({
    createAgent: () => {
      const agent = new Agent({ name: "main", model, streamFn, maxDepth: 2 });
      registry.register({ name: "explore", description: "Looks." }, () => {
        const own: { model?: Model } = chat.retryModel === undefined ? {} : { model: chat.retryModel };
        return { name: "explore", tools: [], ...own };
      });
      agent.addToolboxes(delegationTools({ agent, registry: directory, onError: "collect" }));
      return agent;
    },
    configure: () => {},
    noticeFor: runNotice,
    onActivity: () => {},
  });
  const agents = () => {
    const entries = chat.log.entriesAfter(0) ?? [];
    const tree = foldTree(
      emptyTree(),
      entries.flatMap((entry) => ("agent" in entry ? [entry.agent] : [])),
    );
    return Object.values(tree.nodes).filter(({ meta }) => meta.depth > 0);
  };
  return { chat, requests, agents };
}

const delegating = { calls: [{ name: "spawn_agents", args: { tasks } }] };

describe("the task of a sub-agent that failed", () => {
  it("is given to a new one with the same brief and context, and the agent goes on with its result", async () => {
    const { chat, requests, agents } = chatWith([
      delegating,
      text("The docs are fine."),
      fail("The model is gone."),
      text("One of them failed."),
      text("Three callers."),
      text("There are three callers."),
    ]);
    await chat.send(user("u1", "Look around"), "queue");
    const failed = agents().find(({ status }) => status === "error");
    assert.ok(failed !== undefined);
    const given = tasks.find(({ title }) => title === failed.meta.label);
    const task = retriedTask(chat, failed.meta.id);
    assert.deepEqual(task.args, given);
    await chat.retry(task);
    const [, , again] = agents();
    assert.deepEqual([again?.meta.label, again?.status], [given?.title, "done"]);
    const brief = JSON.stringify(requests.at(-2)?.messages);
    assert.ok(brief.includes(given?.task ?? "") && brief.includes(given?.context ?? ""), brief);
    assert.match(JSON.stringify(requests.at(-1)?.messages.at(-1)), /Three callers\./);
    assert.equal(chat.isRunning, false);
  });

  it("is its own also where agents did not start in the order of their tasks", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const isolate: DelegationWatch["isolate"] = async (task) => {
      if (task.index === 0) await promise;
      else resolve();
      return task.run();
    };
    const { chat, agents } = chatWith([delegating, text("One."), text("Other."), text("Good.")], { isolate });
    await chat.send(user("u1", "Look around"), "queue");
    const started = agents();
    assert.deepEqual(
      started.map(({ meta }) => meta.label),
      ["Find the callers", "Look at the docs"],
    );
    assert.deepEqual(
      started.map(({ meta }) => retriedTask(chat, meta.id).args.task),
      ["Find all callers", "Read the docs"],
    );
  });

  it("is done by another model where the user picks one, and only by that agent", async () => {
    const { chat, requests } = chatWith([
      { calls: [{ name: "delegate_to_agent", args: tasks[0] }] },
      fail("The model is gone."),
      text("It failed."),
      text("The docs are fine."),
      text("Good."),
    ]);
    await chat.send(user("u1", "Look around"), "queue");
    const child = (chat.log.entriesAfter(0) ?? []).find((entry) => "agent" in entry && entry.agent.agent.depth === 1);
    assert.ok(child !== undefined && "agent" in child);
    const model = { id: "another", provider: "test" };
    await chat.retry({ ...retriedTask(chat, child.agent.agent.id), model });
    assert.deepEqual(
      requests.slice(-2).map((request) => request.model.id === "another"),
      [true, false],
    );
    assert.equal(chat.retryModel, undefined);
  });

  it("waits for the run to end, and is refused where nothing is known of it", async () => {
    const { chat } = chatWith([text("Hello.")]);
    await chat.send(user("u1", "Hi"), "queue");
    assert.throws(() => retriedTask(chat, "nobody"), /not known any more/);
    assert.throws(() => retriedTask(chat, "constructor"), /not known any more/);
    assert.throws(
      () => retriedTask({ log: chat.log, isRunning: true, isInterrupted: false }, "nobody"),
      /Wait until the run has ended/,
    );
  });
});

const delegations: Reply = call("spawn_agents", {
  tasks: [
    { agent: "left", title: "Fix the tests", task: "do it", context: "" },
    { agent: "right", task: "do it", context: "" },
  ],
});

describe("a branch of agents", () => {
  it("is named by its task, and refused as long as one of its agents works", async () => {
    const script = byName({ main: [delegations, text("done")], left: [text("l")], right: [text("r")] });
    const { agent, log } = arrangedRuns(script, { agents: ["left", "right"] });
    const refused: boolean[] = [];
    agent.subscribe(({ type }) => {
      if (type !== "turn_start") return;
      assert.throws(() => branchOf({ log }, agent.id), /Stop these agents first/);
      refused.push(true);
    });
    await agent.send("go").result;
    assert.ok(refused.length > 0);
    const { nodes } = foldLog(log.entriesAfter(0) ?? []).tree;
    const names = Object.keys(nodes).map((agentId) => branchOf({ log }, agentId).name);
    assert.deepEqual(names.toSorted(), ["Fix the tests", "do it", "main"]);
    assert.throws(() => branchOf({ log }, "toString"), /not in the chat any more/);
  });
});
