import assert from "node:assert/strict";
import * as z from "zod";
import { Agent, type AgentOptions } from "../../../src/agent/agent/agent.ts";
import { AgentRegistry } from "../../../src/agent/agent/registry.ts";
import { controlTools } from "../../../src/agent/toolkits/control.ts";
import { delegationTools } from "../../../src/agent/toolkits/delegation.ts";
import { aborted, gate, ofType, recordedAgent, results, said, story, tool } from "../../support/agents.ts";
import { byAgent, call, calls, type Reply, scriptedModel, text } from "../../support/scriptedModel.ts";

/** Agents that share one script, by system prompt; "main" has the others as tools. */
function household(
  scripts: Record<string, readonly Reply[]>,
  members: Record<string, Partial<AgentOptions>>,
  main: Partial<AgentOptions> = {},
) {
  const model = scriptedModel(
    byAgent(Object.fromEntries(Object.entries(scripts).map(([name, list]) => [`I am ${name}.`, list]))),
  );
  const make = (name: string, options: Partial<AgentOptions>) =>
    new Agent({
      name,
      description: `does ${name}`,
      systemPrompt: `I am ${name}.`,
      model: model.model,
      streamFn: model.streamFn,
      ...options,
    });
  const others = Object.entries(members).map(([name, options]) => make(name, options));
  const recorded = recordedAgent([], {
    model: model.model,
    streamFn: model.streamFn,
    systemPrompt: "I am main.",
    ...main,
  });
  recorded.agent.setTools([...others.map((other) => other.asTool()), ...(main.tools ?? [])]);
  return { ...recorded, requests: model.requests, others };
}

const complete = (result: unknown) => call("complete_task", { result });

describe("agents as tools", () => {
  it("D1: an agent is a tool with its name and description, or those it is given", () => {
    const { model, streamFn } = scriptedModel([]);
    const search = new Agent({ name: "search", description: "searches", model, streamFn });
    const schema = z.object({ query: z.string() });
    const plain = search.asTool();
    const given = search.asTool({ name: "find", description: "finds", schema });
    assert.deepEqual([plain.name, plain.description], ["search", "searches"]);
    assert.deepEqual(plain.schema.parse({ input: "x" }), { input: "x" });
    assert.deepEqual([given.name, given.description, given.schema], ["find", "finds", schema]);
  });

  it("D1: JSON goes in and JSON comes out", async () => {
    const { agent } = household(
      { main: [call("search", { input: "x" }), text("ok")], search: [complete({ hits: 2 })] },
      { search: { tools: [controlTools()] } },
    );
    await agent.prompt("hi");
    assert.deepEqual(results(agent.messages), ['{"hits":2}']);
  });

  it("D2, D10, D11: the child sees only its prompt and the input as JSON; the caller only call and result", async () => {
    const { agent, requests } = household(
      { main: [call("search", { input: "x" }), text("ok")], search: [text("found")] },
      { search: {} },
    );
    await agent.prompt("a secret plan");
    assert.deepEqual(
      agent.messages.map((message) => message.role),
      ["user", "assistant", "toolResult", "assistant"],
    );
    assert.deepEqual(results(agent.messages), ["found"]);
    assert.deepEqual(said(requests[1]?.messages ?? []), ['user: {"input":"x"}']);
    assert.equal(requests[1]?.systemPrompt, "I am search.");
  });

  it("D1: invalid input is refused before any child is made", async () => {
    const { agent, events } = household({ main: [call("search", { query: 1 }), text("ok")] }, { search: {} });
    await agent.prompt("hi");
    assert.match(results(agent.messages)[0] ?? "", /Invalid arguments/);
    assert.ok(events.every((event) => event.agent.depth === 0));
  });

  it("D3: use_agent runs the named agent; an unknown name is an error that lists the names", async () => {
    const registry = new AgentRegistry();
    const model = scriptedModel(
      byAgent({
        "I am main.": [
          call("use_agent", { agent: "search", input: { q: 1 } }),
          call("use_agent", { agent: "ghost", input: "" }),
          text("ok"),
        ],
        "I am search.": [text("found")],
      }),
    );
    const shared = { model: model.model, streamFn: model.streamFn };
    registry.register({ name: "search", description: "searches" }, () => ({ ...shared, systemPrompt: "I am search." }));
    const agent = new Agent({
      ...shared,
      name: "main",
      systemPrompt: "I am main.",
      tools: [controlTools({ registry })],
    });
    await agent.prompt("hi");
    const [found, unknown = ""] = results(agent.messages);
    assert.equal(found, "found");
    assert.match(unknown, /ghost.*search/s);
    assert.deepEqual(said(model.requests[1]?.messages ?? []), ['user: {"q":1}']);
  });

  it("D16: a forced child is a result with its best text and the reason, not an error", async () => {
    const { agent, events } = household(
      { main: [call("worker", { input: "go" }), text("ok")], worker: [{ ...call("look"), text: "half done" }] },
      { worker: { maxTurns: 1, tools: [tool("look")] } },
    );
    await agent.prompt("hi");
    assert.deepEqual(results(agent.messages), ["half done\n\n[Stopped: max turns exceeded (1)]"]);
    assert.equal(ofType(events, "tool_execution_end").at(-1)?.isError, false);
  });

  for (const [how, main, message] of [
    ["depth", { maxDepth: 0 }, /max depth 0/],
    ["spend", { maxSpend: 0.5 }, /max spend/],
  ] as const) {
    it(`D8, D9: past the ${how} limit the child asks no model and the caller gets an error result`, async () => {
      const { agent, events, requests } = household(
        {
          main: [{ ...call("worker", { input: "go" }), usage: { cost: how === "spend" ? 0.5 : 0 } }, text("ok")],
          worker: [],
        },
        { worker: how === "spend" ? { maxSpend: 0.1 } : {} },
        main,
      );
      await agent.prompt("hi");
      assert.match(results(agent.messages)[0] ?? "", message);
      assert.equal(ofType(events, "tool_execution_end")[0]?.isError, true);
      assert.ok(requests.every((request) => request.systemPrompt === "I am main."));
    });
  }

  it("D17: complete_task ends the run at once with its input as the result", async () => {
    const { agent, requests } = recordedAgent([complete({ answer: 42 })], { tools: [controlTools()] });
    const run = await agent.prompt("hi");
    assert.deepEqual([run.reason, run.result], ["completed", { answer: 42 }]);
    assert.equal(requests.length, 1);
  });

  it("D18: calls before complete_task have run, calls after it are answered as skipped", async () => {
    const ran: string[] = [];
    const batch = calls({ name: "a" }, { name: "complete_task", args: { result: "done" } }, { name: "b" });
    const { agent, events } = recordedAgent([batch], {
      tools: [controlTools(), tool("a", () => String(ran.push("a"))), tool("b", () => String(ran.push("b")))],
    });
    await agent.prompt("hi");
    assert.deepEqual(ran, ["a"]);
    assert.match(results(agent.messages)[2] ?? "", /skipped/);
    assert.equal(ofType(events, "tool_execution_end").length, 3);
  });

  it("D18: the follow-up queue is not consulted after complete_task", async () => {
    const { agent } = recordedAgent([complete("done")], { tools: [controlTools()] });
    agent.followUp("later");
    assert.equal((await agent.prompt("hi")).reason, "completed");
    assert.equal(agent.hasQueued, true);
  });

  it("D19: complete_task of a nested agent ends only that one; the caller gets its result", async () => {
    const { agent } = household(
      { main: [call("worker", { input: "go" }), text("ok")], worker: [complete({ n: 1 })] },
      { worker: { tools: [controlTools()] } },
    );
    const run = await agent.prompt("hi");
    assert.equal(run.reason, "done");
    assert.deepEqual(results(agent.messages), ['{"n":1}']);
  });

  it("D20: return_to_user of a nested agent is the result of the whole; no ancestor asks again, no validator runs", async () => {
    let validated = 0;
    const returning = call("return_to_user", { result: "for you" });
    const model = scriptedModel(
      byAgent({
        "I am main.": [call("middle", { input: "go" })],
        "I am middle.": [call("inner", { input: "go" })],
        "I am inner.": [returning],
      }),
    );
    const shared = { model: model.model, streamFn: model.streamFn };
    const hooks = { beforeFinish: () => void validated++ };
    const inner = new Agent({ ...shared, name: "inner", systemPrompt: "I am inner.", tools: [controlTools()], hooks });
    const middle = new Agent({
      ...shared,
      name: "middle",
      systemPrompt: "I am middle.",
      tools: [inner.asTool()],
      hooks,
    });
    const main = new Agent({ ...shared, name: "main", systemPrompt: "I am main.", tools: [middle.asTool()], hooks });
    const run = await main.prompt("hi");
    assert.deepEqual([run.reason, run.result], ["returned", "for you"]);
    assert.equal(model.requests.length, 3);
    assert.equal(validated, 0);
  });

  it("D20: a delegated child that returns to the user ends its parents too", async () => {
    const registry = new AgentRegistry();
    registry.register({ name: "a", description: "" }, () => ({ systemPrompt: "I am a.", tools: [controlTools()] }));
    const scripts = {
      "I am main.": [call("spawn_agents", { tasks: [{ agent: "a", task: "t", context: "" }] })],
      "I am a.": [call("return_to_user", { result: 7 })],
    };
    const { agent } = recordedAgent(byAgent(scripts), { systemPrompt: "I am main." });
    agent.setTools([delegationTools({ agent, registry })]);
    const run = await agent.prompt("hi");
    assert.deepEqual([run.reason, run.result], ["returned", 7]);
  });

  it("D21: an agent without complete_task ends with a plain reply", async () => {
    const { agent } = recordedAgent([text("plain")]);
    assert.equal((await agent.prompt("hi")).reason, "done");
  });

  it("D23: the caller's abort reaches nested agents and their tools, and the result says so", async () => {
    const running = gate();
    const wait = tool("wait", async (_args, context) => {
      running.open();
      await aborted(context.signal);
      return "stopped";
    });
    const { agent, events } = household(
      { main: [call("worker", { input: "go" })], worker: [call("wait")] },
      { worker: { tools: [wait] } },
    );
    const run = agent.prompt("hi");
    await running.opened;
    await agent.abort();
    await assert.rejects(run, { code: "aborted" });
    assert.match(results(agent.messages)[0] ?? "", /canceled/);
    assert.deepEqual(
      story(events).filter((line) => line.includes("agent_end")),
      ["  worker agent_end aborted", "main agent_end aborted"],
    );
  });

  it("D24: no agent runs inside its own call; identity is the name", async () => {
    const refused: string[] = [];
    const model = scriptedModel(
      byAgent({
        "I am worker.": [call("worker", { input: "again" }), text("fine")],
        "I am main.": [call("worker", { input: "go" }), text("ok")],
      }),
    );
    const shared = { model: model.model, streamFn: model.streamFn };
    const worker = new Agent({ ...shared, name: "worker", systemPrompt: "I am worker." });
    worker.setTools([worker.asTool()]);
    const main = new Agent({ ...shared, name: "main", systemPrompt: "I am main.", tools: [worker.asTool()] });
    main.subscribe((event) => {
      if (event.type === "tool_execution_end" && event.isError) refused.push(String(event.result.content));
    });
    await main.prompt("hi");
    assert.equal(refused.length, 1);
    assert.match(refused[0] ?? "", /not allowed/);
  });

  it("D35: the costs of a trace add up to the ledger's total", async () => {
    const usage = { cost: 0.25 };
    const { agent } = household(
      {
        main: [{ ...call("worker", { input: "go" }), usage }, text("ok", { usage })],
        worker: [text("done", { usage })],
      },
      { worker: {} },
    );
    const costs: number[] = [];
    agent.subscribe((event) => {
      if (event.type === "usage") costs.push(event.delta.cost);
    });
    const run = await agent.prompt("hi");
    assert.equal(
      costs.reduce((sum, cost) => sum + cost, 0),
      0.75,
    );
    assert.equal(run.usage.cost, 0.75);
  });

  it("D38: main asks a search specialist, which asks a data analyst; everything happens in that order", async () => {
    const { agent, events } = (() => {
      const model = scriptedModel(
        byAgent({
          "I am main.": [call("search_specialist", { input: "trends" }), complete("report")],
          "I am search_specialist.": [
            call("web_search", { q: "trends" }),
            call("data_analyst", { input: "numbers" }),
            text("findings"),
          ],
          "I am data_analyst.": [text("analysis")],
        }),
      );
      const shared = { model: model.model, streamFn: model.streamFn };
      const analyst = new Agent({ ...shared, name: "data_analyst", systemPrompt: "I am data_analyst." });
      const search = new Agent({
        ...shared,
        name: "search_specialist",
        systemPrompt: "I am search_specialist.",
        tools: [tool("web_search", "hits"), analyst.asTool()],
      });
      return recordedAgent([], { ...shared, systemPrompt: "I am main.", tools: [search.asTool(), controlTools()] });
    })();
    const run = await agent.prompt("What are the trends?");
    assert.deepEqual(
      story(events).filter((line) => /agent_|tool_execution_start|tool_execution_end/.test(line)),
      [
        "main agent_start",
        "main tool_execution_start search_specialist",
        "  search_specialist agent_start",
        "  search_specialist tool_execution_start web_search",
        "  search_specialist tool_execution_end web_search",
        "  search_specialist tool_execution_start data_analyst",
        "    data_analyst agent_start",
        "    data_analyst agent_end done",
        "  search_specialist tool_execution_end data_analyst",
        "  search_specialist agent_end done",
        "main tool_execution_end search_specialist",
        "main tool_execution_start complete_task",
        "main tool_execution_end complete_task",
        "main agent_end completed",
      ],
    );
    assert.deepEqual([run.reason, run.result], ["completed", "report"]);
  });
});
