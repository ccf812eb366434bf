import assert from "node:assert/strict";
import { Agent } from "../../../src/agent/agent/agent.ts";
import type { AgentOptions } from "../../../src/agent/agent/agentOptions.ts";
import { AgentRegistry } from "../../../src/agent/agent/registry.ts";
import { delegationTools } from "../../../src/agent/toolkits/delegation.ts";
import { resolveTools, Toolbox } from "../../../src/agent/vocabulary/tools.ts";
import { gate, ofType, recordedAgent, results, said, seen, story, tool } from "../../support/agents.ts";
import {
  byAgent,
  call,
  calls,
  fail,
  hang,
  type Reply,
  type Script,
  scriptedModel,
  text,
} from "../../support/scriptedModel.ts";

const noModel = scriptedModel([]);
const root = { model: noModel.model, streamFn: noModel.streamFn };

function registryOf(entries: Record<string, Partial<AgentOptions>>): AgentRegistry {
  const registry = new AgentRegistry();
  for (const [name, options] of Object.entries(entries)) {
    registry.register({ name, description: `does ${name}` }, () => ({ systemPrompt: `I am ${name}`, ...options }));
  }
  return registry;
}

/** An agent with a registry; scripts are by system prompt. */
function delegating(
  scripts: Record<string, readonly Reply[]>,
  entries: Record<string, Partial<AgentOptions>>,
  options: Partial<AgentOptions> = {},
) {
  const named = Object.fromEntries(Object.entries(scripts).map(([name, replies]) => [`I am ${name}`, replies]));
  const script: Script = byAgent(named);
  return recordedAgent(script, { systemPrompt: "I am main", registry: registryOf(entries), ...options });
}

const delegate = (agent: string, task = "find it", context = "in src") =>
  call("delegate_to_agent", { agent, task, context });
const spawn = (...agents: string[]) =>
  call("spawn_agents", { tasks: agents.map((agent) => ({ agent, task: `task for ${agent}`, context: "" })) });
const answer = (agent: Agent): unknown => JSON.parse(results(agent.messages)[0] ?? "");

describe("the registry", () => {
  it("B17: finds what is registered, lists it by name, and replaces what is registered again", () => {
    const registry = registryOf({ writer: {}, explorer: {} });
    assert.equal(registry.get("writer")?.description, "does writer");
    assert.deepEqual(
      registry.list().map((entry) => entry.name),
      ["explorer", "writer"],
    );
    registry.register({ name: "writer", description: "writes anew" }, () => root);
    assert.equal(registry.get("writer")?.description, "writes anew");
    assert.equal(registry.list().length, 2);
    assert.equal(registry.get("nobody"), undefined);
  });

  it("B18: each spawn calls the factory again and has the given depth; an unknown name gives nothing", () => {
    let made = 0;
    const registry = new AgentRegistry();
    registry.register({ name: "a", description: "" }, () => {
      made += 1;
      return root;
    });
    const first = registry.spawn("a", 2);
    const second = registry.spawn("a", 0);
    assert.equal(made, 2);
    assert.notEqual(first?.id, second?.id);
    assert.deepEqual([first?.meta.depth, second?.meta.depth, first?.meta.name], [2, 0, "a"]);
    assert.equal(registry.spawn("b", 0), undefined);
  });

  it("B18: an agent that a factory returns hands over its configuration, within a call as a sub-agent", async () => {
    const registry = new AgentRegistry();
    const template = new Agent({ ...root, systemPrompt: "template", tools: [tool("own")] });
    registry.register({ name: "a", description: "" }, () => template);
    const made: (Agent | undefined)[] = [];
    const { agent } = recordedAgent([call("make"), text("ok")], {
      tools: [tool("make", (_args, context) => String(made.push(registry.spawn("a", 1, context))))],
    });
    await agent.prompt("hi");
    const [child] = made;
    assert.notEqual(child?.id, template.id);
    assert.equal(child?.parent, agent);
    assert.deepEqual([child?.state.systemPrompt, child?.state.tools[0]?.name], ["template", "own"]);
  });

  const oddFactories: Record<string, () => unknown> = {
    "a promise": async () => ({ systemPrompt: "late" }),
    "a promise that is rejected": () => Promise.reject(new Error("no agent")),
    "neither an agent nor options": () => 42,
  };
  for (const [what, factory] of Object.entries(oddFactories)) {
    it(`says so where a factory gives ${what}, and the model goes on`, async () => {
      const registry = new AgentRegistry();
      // What the types forbid, JavaScript lets happen.
      registry.register({ name: "a", description: "" }, factory as () => AgentOptions);
      const task = { agent: "a", task: "Go.", context: "" };
      const { agent } = recordedAgent([call("delegate_to_agent", task), text("ok")], { registry });
      await agent.prompt("hi");
      assert.match(results(agent.messages)[0] ?? "", /agent "a" gives (?:a promise|neither)/);
      assert.throws(() => registry.spawn("a", 0), { code: "bad_input" });
    });
  }

  it("names the agents of a closed registry in the tools, and lists them by none", async () => {
    const registry = registryOf({ main: {}, b: {}, a: {} }).close();
    const { agent, requests } = recordedAgent([text("ok")], { systemPrompt: "I am main", registry });
    await agent.prompt("go");
    const tools = requests[0]?.tools ?? [];
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["delegate_to_agent", "spawn_agents"],
    );
    for (const each of tools) assert.match(JSON.stringify(each), /"enum":\["a","b","main"\]/);
    assert.throws(() => registry.register({ name: "c", description: "" }, () => ({})), /closed: "c" comes too late/);
  });

  it("offers no delegation to an agent whose closed registry is empty", async () => {
    const registry = new AgentRegistry().close();
    const { agent, requests } = recordedAgent([text("ok")], { registry });
    await agent.prompt("go");
    assert.deepEqual(requests[0]?.tools, []);
  });

  it("B19: list_agents gives name and description as JSON, without the caller", async () => {
    const { agent } = delegating({ main: [call("list_agents"), text("ok")] }, { main: {}, b: {}, a: {} });
    await agent.prompt("hi");
    assert.deepEqual(answer(agent), [
      { name: "a", description: "does a" },
      { name: "b", description: "does b" },
    ]);
  });

  it("B20: the delegation tools are offered with a registry, and only then", async () => {
    const names = ["delegate_to_agent", "list_agents", "spawn_agents"];
    const { agent, requests } = delegating({ main: [text("ok")] }, { a: {} });
    await agent.prompt("hi");
    assert.deepEqual(requests[0]?.tools.map((one) => one.name).sort(), names);
    assert.deepEqual(new Agent(root).state.tools, []);
    const late = new Agent(root);
    late.setRegistry(registryOf({ a: {} }));
    assert.deepEqual(late.state.tools.map((one) => one.name).sort(), names);
  });
});

describe("delegation", () => {
  it("B21: a fresh child runs and its final text is the result", async () => {
    const { agent } = delegating({ main: [delegate("a"), text("ok")], a: [text("found")] }, { a: {} });
    await agent.prompt("hi");
    assert.deepEqual(results(agent.messages), ["found"]);
  });

  it("B22: the child is shown its system prompt, the wrapped context and the task, nothing else", async () => {
    const { agent, requests } = delegating({ main: [delegate("a"), text("ok")], a: [text("found")] }, { a: {} });
    await agent.prompt("hi");
    assert.equal(requests[1]?.systemPrompt, "I am a");
    assert.deepEqual(said(requests[1]?.messages ?? []), [
      "user: <delegation_context>\nin src\n</delegation_context>",
      "user: find it",
    ]);
  });

  for (const args of ["not json", {}, { agent: "a", task: "t" }]) {
    it(`B23: the arguments ${JSON.stringify(args)} are refused and no child is made`, async () => {
      const { agent, events } = delegating({ main: [call("delegate_to_agent", args), text("ok")] }, { a: {} });
      await agent.prompt("hi");
      assert.match(results(agent.messages)[0] ?? "", /Invalid arguments/);
      assert.ok(events.every((event) => event.agent.id === agent.id));
    });
  }

  it("B24: delegating to oneself is refused, whatever the case of the name", async () => {
    const { agent, events } = delegating({ main: [delegate("MAIN"), text("ok")] }, { main: {}, Main: {} });
    await agent.prompt("hi");
    assert.match(results(agent.messages)[0] ?? "", /Self-delegation is not allowed/);
    assert.equal(ofType(events, "tool_execution_end")[0]?.isError, true);
  });

  it("case 77: a call for more agents than a person could follow starts none", async () => {
    const { agent, events } = delegating({ main: [spawn(...Array<string>(3_000).fill("a")), text("ok")] }, { a: {} });
    await agent.prompt("hi");
    assert.match(results(agent.messages)[0] ?? "", /At most 32 tasks/);
    assert.ok(events.every((event) => event.agent.id === agent.id));
  });

  it("B25: one task for oneself refuses the whole of spawn_agents", async () => {
    const { agent, events } = delegating({ main: [spawn("a", "main"), text("ok")] }, { a: {}, main: {} });
    await agent.prompt("hi");
    assert.match(results(agent.messages)[0] ?? "", /Self-delegation is not allowed/);
    assert.ok(events.every((event) => event.agent.id === agent.id));
  });

  for (const [maxDepth, story1] of [
    [0, "main"],
    [1, "a"],
  ] as const) {
    it(`B26: at maxDepth ${maxDepth} the delegation of ${story1} is an error that names the limit; that child asks no model`, async () => {
      const { agent, events, requests } = delegating(
        maxDepth === 0
          ? { main: [delegate("a"), text("ok")] }
          : { main: [delegate("a"), text("ok")], a: [delegate("b"), text("tried")] },
        { a: {}, b: {} },
        { maxDepth },
      );
      await agent.prompt("hi");
      const refused = ofType(events, "tool_execution_end")[0];
      assert.equal(refused?.isError, true);
      assert.match(String(refused?.result.content), new RegExp(`max depth ${maxDepth}`));
      assert.deepEqual(
        ofType(events, "limit_reached").map((event) => [event.limit, event.agent.depth]),
        [["depth", maxDepth + 1]],
      );
      assert.equal(requests.length, maxDepth === 0 ? 2 : 4);
    });
  }

  it("An agent that may have no children is not offered the delegation tools", async () => {
    const { agent, requests } = delegating(
      { main: [delegate("a"), text("ok")], a: [text("found")] },
      { a: {} },
      { maxDepth: 1 },
    );
    await agent.prompt("hi");
    assert.equal(requests[0]?.tools.length, 3);
    assert.equal(requests[1]?.tools.length, 0);
  });

  it("B27: an unknown agent is an error result with its name and those there are", async () => {
    const { agent } = delegating({ main: [delegate("ghost"), text("ok")] }, { a: {} });
    await agent.prompt("hi");
    assert.deepEqual(results(agent.messages), ['Unknown agent "ghost". Available: a']);
  });

  it("B28: no tasks give an empty array", async () => {
    const { agent } = delegating({ main: [spawn(), text("ok")] }, { a: {} });
    await agent.prompt("hi");
    assert.deepEqual(answer(agent), []);
  });

  it("B29: tasks run at once, and their results come in their order", async () => {
    const last = gate();
    const { agent, events } = delegating(
      { main: [spawn("a", "b"), text("ok")], a: [text("A", { until: last.opened })], b: [text("B")] },
      { a: {}, b: {} },
    );
    agent.subscribe((event) => {
      if (event.type === "agent_end" && event.agent.name === "b") last.open();
    });
    await agent.prompt("hi");
    assert.deepEqual(answer(agent), [
      { agent: "a", result: "A" },
      { agent: "b", result: "B" },
    ]);
    assert.equal(ofType(events, "tool_execution_end")[0]?.isError, false);
  });

  it("B30: by default the first failure cancels the siblings; what had finished is kept", async () => {
    const asked = gate();
    const { agent, events } = delegating(
      {
        main: [spawn("quick", "broken", "slow"), text("ok")],
        quick: [text("done")],
        broken: [fail("no luck", { until: asked.opened })],
        slow: [hang()],
      },
      { quick: {}, broken: {}, slow: {} },
    );
    let ready = 0;
    agent.subscribe((event) => {
      const isReady =
        (event.type === "agent_end" && event.agent.name === "quick") ||
        (event.type === "message_start" && event.message.role === "assistant" && event.agent.name === "slow");
      ready += Number(isReady);
      if (ready === 2) asked.open();
    });
    await agent.prompt("hi");
    assert.deepEqual(answer(agent), [
      { agent: "quick", result: "done" },
      { agent: "broken", error: 'The agent "broken" failed: no luck' },
      { agent: "slow", error: "canceled" },
    ]);
    assert.equal(ofType(events, "tool_execution_end")[0]?.isError, true);
  });

  it("B30: an unknown name counts as the first failure", async () => {
    const { agent, events } = delegating({ main: [spawn("a", "ghost"), text("ok")] }, { a: {} });
    await agent.prompt("hi");
    assert.ok(events.every((event) => event.agent.id === agent.id));
    assert.deepEqual(answer(agent), [
      { agent: "a", error: "canceled" },
      { agent: "ghost", error: 'Unknown agent "ghost". Available: a' },
    ]);
  });

  it('B30: with onError "collect" the siblings finish and the failure is an entry', async () => {
    const { agent, events } = delegating(
      { main: [spawn("broken", "fine", "ghost"), text("ok")], broken: [fail("no luck")], fine: [text("fine")] },
      { broken: {}, fine: {} },
    );
    const registry = registryOf({ broken: {}, fine: {} });
    agent.setTools([delegationTools({ agent, registry, onError: "collect" })]);
    await agent.prompt("hi");
    assert.deepEqual(answer(agent), [
      { agent: "broken", error: 'The agent "broken" failed: no luck' },
      { agent: "fine", result: "fine" },
      { agent: "ghost", error: 'Unknown agent "ghost". Available: broken, fine' },
    ]);
    assert.equal(ofType(events, "tool_execution_end")[0]?.isError, false);
  });

  it("B31: aborting the parent aborts every spawned child", async () => {
    const { agent, events } = delegating({ main: [spawn("a", "b")], a: [hang()], b: [hang()] }, { a: {}, b: {} });
    const run = agent.prompt("hi");
    let streaming = 0;
    await seen(agent, (event) => {
      streaming += Number(
        event.agent.depth === 1 && event.type === "message_start" && event.message.role === "assistant",
      );
      return streaming === 2;
    });
    await agent.abort();
    await assert.rejects(run, { code: "aborted" });
    assert.deepEqual(
      ofType(events, "agent_end").map((end) => end.reason),
      ["aborted", "aborted", "aborted"],
    );
  });

  it("B32: a child can delegate further, with its parent's registry", async () => {
    const { agent, events } = delegating(
      { main: [delegate("a"), text("ok")], a: [delegate("b"), text("asked b")], b: [text("deep")] },
      { a: {}, b: {} },
    );
    await agent.prompt("hi");
    assert.deepEqual(results(agent.messages), ["asked b"]);
    assert.equal(Math.max(...events.map((event) => event.agent.depth)), 2);
  });

  it("B33: a child that fails makes an error result that names it, with what it wrote before", async () => {
    const { agent, events } = delegating(
      { main: [delegate("a"), text("ok")], a: [{ ...text("half way"), ...call("look") }, fail("no luck")] },
      { a: { tools: [tool("look")] } },
    );
    await agent.prompt("hi");
    assert.match(results(agent.messages)[0] ?? "", /The agent "a" failed: no luck\n\nBefore that it wrote:\nhalf way/);
    assert.equal(ofType(events, "tool_execution_end").at(-1)?.isError, true);
  });

  it("D24: an agent that is running above is not called again; the error shows the path", async () => {
    const { agent } = delegating(
      { main: [delegate("a"), text("ok")], a: [delegate("b"), text("gave up")], b: [delegate("A"), text("could not")] },
      { a: {}, b: {} },
    );
    const refused: string[] = [];
    agent.subscribe((event) => {
      if (event.type === "tool_execution_end" && event.isError) refused.push(String(event.result.content));
    });
    await agent.prompt("hi");
    assert.deepEqual(refused, [
      'The agent "A" is already running above you (main > a > b); it cannot be called again.',
    ]);
  });

  it("B38, B39: start and end are reported around every child on every level, nested, on failure too, with name and prefix", async () => {
    const { agent, events } = delegating(
      { main: [delegate("a"), text("ok")], a: [delegate("b"), text("asked b")], b: [fail("no")] },
      { a: { prefix: "🅰" }, b: {} },
    );
    await agent.prompt("hi");
    assert.deepEqual(
      story(events).filter((line) => line.includes("agent_")),
      [
        "main agent_start",
        "  a agent_start",
        "    b agent_start",
        "    b agent_end error",
        "  a agent_end done",
        "main agent_end done",
      ],
    );
    assert.equal(ofType(events, "agent_start")[1]?.agent.prefix, "🅰");
  });

  it("B40: without a prefix it is the robot", async () => {
    const { agent, events } = recordedAgent([text("ok")]);
    await agent.prompt("hi");
    assert.equal(events[0]?.agent.prefix, "🤖");
  });

  it("What a user steered into a child reaches its parent with the result", async () => {
    const { agent } = delegating(
      { main: [delegate("a"), text("ok")], a: [call("wait"), text("did it")] },
      { a: { tools: [tool("wait", (_args, context) => agent.find(context.agent.id)?.steer("only in src").id ?? "")] } },
    );
    await agent.prompt("hi");
    assert.deepEqual(results(agent.messages), ["did it\n\n<user_steering>\nonly in src\n</user_steering>"]);
  });
});

describe("toolboxes", () => {
  it("B34: the same box is held once, a different one with equal content is a second", () => {
    const box = new Toolbox("box", [tool("a")]);
    const agent = new Agent({ ...root, tools: [box] });
    agent.addToolboxes(box, box);
    box.add(tool("b"));
    assert.deepEqual(
      agent.state.tools.map((one) => one.name),
      ["a", "b"],
    );
    const other = new Toolbox("box", [tool("c")]);
    agent.addToolboxes(other);
    assert.equal(agent.state.tools.length, 3);
  });

  it("B35: a delegated child without tools of its own can call its parent's", async () => {
    const { agent } = delegating(
      { main: [delegate("a"), text("ok")], a: [call("shared"), text("used it")] },
      { a: {} },
      { tools: [new Toolbox("shared", [tool("shared", "from the box")])] },
    );
    const ran: string[] = [];
    agent.subscribe((event) => {
      if (event.type === "tool_execution_end" && event.agent.depth === 1) ran.push(String(event.result.content));
    });
    await agent.prompt("hi");
    assert.deepEqual(ran, ["from the box"]);
  });

  for (const [how, options, names] of [
    ["lists its tools and nothing else", { tools: [tool("own")] }, ["own"]],
    ["lists none", { tools: [] }, []],
    [
      "lists its tools and inherits all",
      { tools: [tool("own")], inherit: "union" as const },
      ["own", "shared", "other"],
    ],
    ["inherits by name", { inherit: ["other"] }, ["other"]],
    ["inherits nothing", { inherit: "none" as const }, []],
  ] as const) {
    it(`B35: a child that ${how} has ${names.join(", ") || "no tools"}, besides delegation`, async () => {
      const { agent, requests } = delegating(
        { main: [delegate("a"), text("ok")], a: [text("done")] },
        { a: { ...options, ...("tools" in options ? { tools: [...options.tools] } : {}) } as Partial<AgentOptions> },
        { tools: [tool("shared"), tool("other")] },
      );
      await agent.prompt("hi");
      const delegation = ["list_agents", "delegate_to_agent", "spawn_agents"];
      const offered = requests[1]?.tools.map((one) => one.name) ?? [];
      assert.deepEqual(
        offered.filter((name) => !delegation.includes(name)),
        names,
      );
      assert.deepEqual(
        delegation.filter((name) => requests[1]?.tools.some((one) => one.name === name)),
        delegation,
      );
    });
  }

  it("B36: a shared tool is declared once; of two with one name the first wins", async () => {
    const shared = new Toolbox("shared", [tool("t", "first")]);
    assert.deepEqual(
      resolveTools([shared, shared, new Toolbox("other", [tool("t", "second"), tool("u")])]).map((one) => one.name),
      ["t", "u"],
    );
    const { agent, requests } = recordedAgent([call("t"), text("ok")], { tools: [shared, tool("t", "second")] });
    await agent.prompt("hi");
    assert.equal(requests[0]?.tools.length, 1);
    assert.deepEqual(results(agent.messages), ["first"]);
  });

  it("B37: what a child inherits does not stick to the registry's configuration", async () => {
    const script = byAgent({
      "I am main": [delegate("a"), delegate("a"), text("ok")],
      "I am a": [text("A"), text("B")],
    });
    const { model, streamFn, requests } = scriptedModel(script);
    const template = new Agent({ model, streamFn, systemPrompt: "I am a" });
    const registry = new AgentRegistry();
    registry.register({ name: "a", description: "" }, () => template);
    const tools = [tool("shared")];
    await new Agent({ model, streamFn, systemPrompt: "I am main", registry, tools }).prompt("hi");
    const offered = requests.filter((request) => request.systemPrompt === "I am a").map((request) => request.tools);
    assert.deepEqual(
      offered.map((list) => list.filter((one) => one.name === "shared").length),
      [1, 1],
    );
    assert.deepEqual(template.state.tools, []);
    assert.deepEqual(template.messages, []);
  });

  it("A box replaces a tool of the same name and hands out copies", () => {
    const box = new Toolbox(undefined, [tool("a", "old")]);
    box.add(tool("a", "new"), tool("b"));
    box.list().length = 0;
    assert.deepEqual(
      box.list().map((one) => one.name),
      ["a", "b"],
    );
    assert.equal(box.get("c"), undefined);
    assert.equal(box.name, "toolbox");
  });

  it("Several calls of one message delegate at once", async () => {
    const both = calls(
      { name: "delegate_to_agent", args: { agent: "a", task: "t", context: "c" } },
      { name: "delegate_to_agent", args: { agent: "b", task: "t", context: "c" } },
    );
    const { agent } = delegating({ main: [both, text("ok")], a: [text("A")], b: [text("B")] }, { a: {}, b: {} });
    await agent.prompt("hi");
    assert.deepEqual(results(agent.messages), ["A", "B"]);
  });
});
