import assert from "node:assert/strict";
import { Agent } from "../../../src/agent/agent/agent.ts";
import type { AgentOptions } from "../../../src/agent/agent/agentOptions.ts";
import { rootAgentCreator } from "../../../src/agent/agent/registry.ts";
import { createOwnerScope } from "../../../src/agent/agent/subAgents.ts";
import type { AgentEvent } from "../../../src/agent/vocabulary/events.ts";
import type { AgentCreator, ToolContext } from "../../../src/agent/vocabulary/tools.ts";
import {
  aborted,
  collect,
  gate,
  ofType,
  recordedAgent,
  results,
  seen,
  story,
  tool,
  typesOf,
} from "../../support/agents.ts";
import { byAgent, call, hang, scriptedModel, testModel, text } from "../../support/scriptedModel.ts";

const child: Partial<AgentOptions> = { name: "child", systemPrompt: "child" };
const parentThenDone = { main: [call("spawn"), text("done")] };

/** A tool that runs one child to its end and answers with its text. */
function spawning(inspect: (context: ToolContext, agent: Agent) => void = () => {}, options = child) {
  return tool("spawn", async (_args, context) => {
    const agent = context.subAgents.create(options);
    inspect(context, agent);
    const result = await agent.run("go");
    return result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  });
}

describe("sub-agents", () => {
  it("A22: a tool sees depth 0 in the root, 1 in a first-level sub-agent", async () => {
    const depths: number[] = [];
    const { agent } = recordedAgent(
      byAgent({ main: [call("spawn"), text("done")], child: [call("look"), text("ok")] }),
      {
        systemPrompt: "main",
        tools: [
          spawning((context) => depths.push(context.depth), {
            ...child,
            tools: [tool("look", (_args, context) => String(depths.push(context.depth)))],
          }),
        ],
      },
    );
    await agent.prompt("hi");
    assert.deepEqual(depths, [0, 1]);
  });

  it("A23: changing the tool list that a tool was given leaves the agent's own alone", async () => {
    const { agent } = recordedAgent([call("look"), text("ok")], {
      tools: [
        tool("look", (_args, context) => {
          (context.tools as unknown[]).length = 0;
          return String(context.tools.length);
        }),
      ],
    });
    await agent.prompt("hi");
    assert.deepEqual(results(agent.messages), ["1"]);
    assert.equal(agent.state.tools.length, 1);
  });

  it("A24: a child without a model has its parent's, a root without one has the creator's default", async () => {
    const other = { ...testModel, id: "other" };
    const { agent, requests } = recordedAgent([call("spawn"), text("from child"), text("done")], {
      model: other,
      tools: [spawning()],
    });
    await agent.prompt("hi");
    assert.deepEqual(
      requests.map((request) => request.model.id),
      ["other", "other", "other"],
    );
    const { model, streamFn } = scriptedModel([]);
    assert.equal(rootAgentCreator({ model, streamFn }).create({}).info().model, "scripted");
    assert.throws(() => rootAgentCreator().create({}), { code: "bad_input" });
  });

  it("A24: a child also takes its parent's thinking level and request options, where it brings none", async () => {
    const { agent, requests } = recordedAgent(byAgent({ main: parentThenDone.main, child: [text("ok")] }), {
      systemPrompt: "main",
      thinkingLevel: "high",
      streamOptions: { temperature: 0.5 },
      tools: [spawning()],
    });
    await agent.prompt("hi");
    const { thinkingLevel, temperature, sessionId } = requests[1]?.options ?? {};
    assert.deepEqual([thinkingLevel, temperature, sessionId], ["high", 0.5, agent.sessionId]);
  });

  it("A25: a child has its own id, the root's session, its parent's depth plus one and its parent's id", async () => {
    const made: Agent[] = [];
    const { agent } = recordedAgent(byAgent({ main: parentThenDone.main, child: [text("ok")] }), {
      systemPrompt: "main",
      tools: [spawning((_context, created) => made.push(created))],
    });
    await agent.prompt("hi");
    const [created] = made;
    assert.notEqual(created?.id, agent.id);
    assert.equal(created?.sessionId, agent.sessionId);
    assert.equal(created?.meta.depth, 1);
    assert.equal(created?.meta.parentId, agent.id);
    assert.equal(created?.parent, agent);
  });

  it("A26: every event of a child appears on the parent too, as often, with the child's id and depth", async () => {
    const own: AgentEvent[] = [];
    const { agent, events } = recordedAgent(byAgent({ main: parentThenDone.main, child: [text("ok")] }), {
      systemPrompt: "main",
      tools: [spawning((_context, created) => created.subscribe((event) => own.push(event)))],
    });
    await agent.prompt("hi");
    assert.deepEqual(
      events.filter((event) => event.agent.depth === 1),
      own,
    );
    assert.ok(own.length > 5);
  });

  it("A27, A28: a grandchild's event reaches its own stream, then the child's, then the root's, each once", async () => {
    const order: string[] = [];
    const listen = (name: string) => (event: AgentEvent) => {
      if (event.agent.name === "grandchild" && event.type === "turn_start") order.push(name);
    };
    const grandchild = { name: "grandchild", systemPrompt: "grandchild" };
    const inner = spawning((_context, created) => created.subscribe(listen("grandchild")), grandchild);
    const outer = spawning((_context, created) => created.subscribe(listen("child")), { ...child, tools: [inner] });
    const { agent } = recordedAgent(
      byAgent({ main: parentThenDone.main, grandchild: [text("ok")], child: [call("spawn"), text("ok")] }),
      { systemPrompt: "main", tools: [outer] },
    );
    agent.subscribe(listen("root"));
    await agent.prompt("hi");
    assert.deepEqual(order, ["grandchild", "child", "root"]);
  });

  it("A28: an event that a listener causes comes after the one it got, for all listeners", async () => {
    const { agent } = recordedAgent([text("one"), text("two")]);
    const heard: number[] = [];
    agent.subscribe((event) => {
      if (event.type === "turn_start" && event.index === 0) agent.steer("more");
    });
    agent.subscribe((event) => heard.push(event.seq));
    await agent.prompt("hi");
    assert.deepEqual(
      heard,
      [...heard].sort((a, b) => a - b),
    );
  });

  it("A29, A30: a child's end does not end the parent's stream, and precedes the end of the parent's call", async () => {
    const { agent } = recordedAgent(byAgent({ main: parentThenDone.main, child: [text("ok")] }), {
      systemPrompt: "main",
      tools: [spawning()],
    });
    const { events } = await collect(agent.send("hi"));
    assert.deepEqual(story(events), [
      "main agent_start",
      "main turn_start",
      "main message_start user",
      "main message_end user",
      "main message_start assistant",
      "main message_end assistant",
      "main tool_execution_start spawn",
      "  child agent_start",
      "  child turn_start",
      "  child message_start user",
      "  child message_end user",
      "  child message_start assistant",
      "  child message_end assistant",
      "  child turn_end",
      "  child agent_end done",
      "main tool_execution_end spawn",
      "main message_start toolResult",
      "main message_end toolResult",
      "main turn_end",
      "main turn_start",
      "main message_start assistant",
      "main message_end assistant",
      "main turn_end",
      "main agent_end done",
    ]);
  });

  it("A31: two children in one call run at once, and each keeps its own order", async () => {
    const second = gate();
    const { agent, events } = recordedAgent(
      byAgent({ main: parentThenDone.main, left: [text("l", { until: second.opened })], right: [text("r")] }),
      {
        systemPrompt: "main",
        tools: [
          tool("spawn", async (_args, context) => {
            const left = context.subAgents.create({ name: "left", systemPrompt: "left" }).run("go");
            await context.subAgents.create({ name: "right", systemPrompt: "right" }).run("go");
            second.open();
            await left;
            return "both";
          }),
        ],
      },
    );
    await agent.prompt("hi");
    for (const name of ["left", "right"]) {
      const own = events.filter((event) => event.agent.name === name);
      assert.equal(own[0]?.type, "agent_start");
      assert.equal(own.at(-1)?.type, "agent_end");
    }
  });

  it("A32: a child that still runs when the tool returns is canceled, and that is reported before the tool's end", async () => {
    const made: Agent[] = [];
    const { agent, events } = recordedAgent(byAgent({ main: parentThenDone.main, child: [hang()] }), {
      systemPrompt: "main",
      tools: [
        tool("spawn", async (_args, context) => {
          const created = context.subAgents.create(child);
          made.push(created);
          created.send("go");
          await seen(created, (event) => event.type === "message_start" && event.message.role === "assistant");
          return "gone";
        }),
      ],
    });
    await agent.prompt("hi");
    const told = story(events);
    const canceled = told.indexOf("  child agent_end aborted");
    assert.ok(canceled > 0 && canceled < told.indexOf("main tool_execution_end spawn"));
    assert.equal(made[0]?.status, "idle");
    assert.deepEqual(results(agent.messages), ["gone"]);
  });

  it("A33: a creator that outlives its call throws", async () => {
    const kept: AgentCreator[] = [];
    const { agent } = recordedAgent([call("keep"), text("ok")], {
      tools: [tool("keep", (_args, context) => String(kept.push(context.subAgents)))],
    });
    await agent.prompt("hi");
    assert.throws(() => kept[0]?.create(child), { code: "scope_closed" });
  });

  it("A34: a child that outlives its call reports one error and asks no model", async () => {
    const made: Agent[] = [];
    const { agent, events, requests } = recordedAgent([call("keep"), text("ok")], {
      tools: [tool("keep", (_args, context) => String(made.push(context.subAgents.create(child))))],
    });
    await agent.prompt("hi");
    const asked = requests.length;
    const told = events.length;
    const [created] = made;
    assert.ok(created);
    const late = await collect(created.send("hello?"));
    assert.deepEqual(typesOf(late.events), ["agent_end"]);
    assert.equal(late.result.error?.code, "scope_closed");
    assert.throws(() => created.steer("hello?"), { code: "scope_closed" });
    assert.deepEqual([requests.length, events.length], [asked, told]);
  });

  it("A35: a child that was never sent anything appears nowhere", async () => {
    const { agent, events } = recordedAgent([call("make"), text("ok")], {
      tools: [
        tool("make", (_args, context) => {
          context.subAgents.create(child).addMessage("noted");
          return "made";
        }),
      ],
    });
    await agent.prompt("hi");
    assert.ok(events.every((event) => event.agent.id === agent.id));
  });

  it("A36: a child's first event is its start, with parent, call and label", async () => {
    const { agent, events } = recordedAgent(
      byAgent({ main: [call("spawn", {}, "c1"), text("done")], child: [text("one"), text("two")] }),
      {
        systemPrompt: "main",
        tools: [
          tool("spawn", async (_args, context) => {
            const created = context.subAgents.create({ ...child, label: "scout" });
            await created.prompt("go");
            await created.prompt("again");
            return "done";
          }),
        ],
      },
    );
    await agent.prompt("hi");
    const own = events.filter((event) => event.agent.depth === 1);
    assert.equal(own[0]?.type, "agent_start");
    const { parentId, toolCallId, label } = own[0]?.agent ?? {};
    assert.deepEqual({ parentId, toolCallId, label }, { parentId: agent.id, toolCallId: "c1", label: "scout" });
    assert.equal(ofType(own, "agent_start").length, 2);
    assert.equal(ofType(own, "transcript").length, 0);
  });

  it("A37: the same code makes roots or children, by the creator it is handed", async () => {
    const make = (creator: AgentCreator) => creator.create(child);
    const { model, streamFn } = scriptedModel([]);
    const creator = rootAgentCreator({ model, streamFn });
    const [first, second] = [make(creator), make(creator)];
    assert.deepEqual([first.meta.depth, second.meta.depth], [0, 0]);
    assert.notEqual(first.sessionId, second.sessionId);
    const depths: number[] = [];
    const { agent } = recordedAgent([call("make"), text("ok")], {
      tools: [tool("make", (_args, context) => String(depths.push(make(context.subAgents).meta.depth)))],
    });
    await agent.prompt("hi");
    assert.deepEqual(depths, [1]);
  });

  it("A child's calls pass its ancestors' before-hooks too, whatever its own tools", async () => {
    const asked: string[] = [];
    const { agent, events } = recordedAgent(
      byAgent({ main: parentThenDone.main, child: [call("erase"), text("could not")] }),
      {
        systemPrompt: "main",
        hooks: {
          beforeToolCall(info) {
            asked.push(`${info.agent.name} ${info.call.name}`);
            return info.call.name === "erase" ? { block: true, reason: "denied above" } : undefined;
          },
        },
        tools: [spawning(() => {}, { ...child, tools: [tool("erase", "erased")] })],
      },
    );
    await agent.prompt("hi");
    assert.deepEqual(asked, ["main spawn", "child erase"]);
    assert.equal(ofType(events, "tool_execution_end")[0]?.result.content, "denied above");
  });

  it("B31, D23: aborting the parent aborts every descendant and its tools", async () => {
    const running = gate();
    const reached: string[] = [];
    const wait = tool("wait", async (_args, context) => {
      running.open();
      await aborted(context.signal);
      reached.push("tool");
      return "stopped";
    });
    const { agent, events, requests } = recordedAgent(
      byAgent({ main: parentThenDone.main, child: [call("wait"), text("never")] }),
      { systemPrompt: "main", tools: [spawning(() => {}, { ...child, tools: [wait] })] },
    );
    const run = agent.prompt("hi");
    await running.opened;
    await agent.abort("user");
    await assert.rejects(run, { code: "aborted" });
    assert.deepEqual(reached, ["tool"]);
    assert.deepEqual(
      ofType(events, "agent_end").map((end) => `${end.agent.name} ${end.reason}`),
      ["child aborted", "main aborted"],
    );
    assert.equal(requests.length, 2);
  });

  it("find gives a running descendant, to stop or to steer it alone", async () => {
    const { agent, events } = recordedAgent(byAgent({ main: parentThenDone.main, child: [hang()] }), {
      systemPrompt: "main",
      tools: [
        tool("spawn", async (_args, context) => {
          const run = await context.subAgents.create(child).send("go").result;
          return run.reason;
        }),
      ],
    });
    const run = agent.prompt("hi");
    const start = await seen(agent, (event) => event.agent.depth === 1 && event.type === "message_end");
    const found = agent.find(start.agent.id);
    assert.equal(found?.parent, agent);
    await found?.abort();
    assert.equal((await run).reason, "done");
    assert.deepEqual(results(agent.messages), ["aborted"]);
    assert.equal(agent.find(start.agent.id), undefined);
    assert.equal(agent.find(agent.id), agent);
    assert.equal(ofType(events, "agent_end").length, 2);
  });

  it("An owner scope that closes aborts its agents, waits for them and refuses them afterwards", async () => {
    const owner = createOwnerScope();
    const { agent } = recordedAgent([hang()], { owner });
    const run = agent.send("hi");
    await owner.close("over");
    assert.equal((await run.result).reason, "aborted");
    assert.equal(agent.status, "idle");
    assert.equal((await agent.send("more").result).error?.code, "scope_closed");
    assert.throws(() => owner.adopt(agent), { code: "scope_closed" });
    const { model, streamFn } = scriptedModel([]);
    assert.throws(() => new Agent({ model, streamFn, owner }), { code: "scope_closed" });
  });
});
