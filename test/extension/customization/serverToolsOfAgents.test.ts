import assert from "node:assert/strict";
import { Agent } from "../../../src/agent/agent/agent.ts";
import { AgentRegistry } from "../../../src/agent/agent/registry.ts";
import { type AgentTool, jsonSchemaTool } from "../../../src/agent/vocabulary/tools.ts";
import { parseAgentFile } from "../../../src/extension/customization/agentFile.ts";
import { agentOptions, mainAgent, registerAgents } from "../../../src/extension/customization/agents.ts";
import { offeredTools } from "../../../src/extension/mcp/findTools.ts";
import { results } from "../../support/agents.ts";
import { call, scriptedModel, text } from "../../support/scriptedModel.ts";

const ran: string[] = [];

const tool = (name: string) =>
  jsonSchemaTool({ name, description: `Does ${name}.`, parameters: { type: "object", properties: {} } }, () => {
    ran.push(name);
    return `did ${name}`;
  });

const few = () => [tool("shop__list"), tool("shop__delete"), tool("bank__pay")];
const many = () => [...few(), ...Array.from({ length: 60 }, (_, at) => tool(`shop__more${at}`))];

const file = (name: string, ...fields: string[]) => {
  const written = ["---", `name: ${name}`, "description: Keeps the shop.", ...fields, "---", "Work."].join("\n");
  const { agent, mistakes } = parseAgentFile(`.agents/agents/${name}.md`, written, {
    toolNames: [],
    modelProblem: () => undefined,
  });
  assert.deepEqual(mistakes, []);
  assert.ok(agent);
  return agent;
};

/** What custom agents are offered and get, where main hands the first one some work. */
async function delegated(fields: readonly string[], { tools = few(), script = [text("did it")] } = {}) {
  const all: AgentTool[] = [...offeredTools(tools), tool("read_file")];
  const registry = new AgentRegistry();
  const custom = [file("keeper", ...fields), file("helper")];
  registerAgents(registry, { tools: { readOnly: [], all } }, { agents: custom, skills: [] });
  const task = (agent: string) => call("delegate_to_agent", { agent, task: "work", context: "" });
  const model = scriptedModel([task("keeper"), ...script, text("done")]);
  const main = new Agent({
    ...agentOptions(mainAgent, { tools: { readOnly: [], all } }),
    ...{ model: model.model, streamFn: model.streamFn, registry, maxDepth: 3 },
  });
  ran.length = 0;
  await main.prompt("go");
  const { tools: offered = [] } = model.requests[1] ?? {};
  return {
    names: offered.map(({ name }) => name).filter((name) => !/^(delegate|spawn|load_skill)/.test(name)),
    described: offered.map(({ description }) => description).join("\n"),
    said: model.requests.flatMap(({ messages }) => results([...messages].slice(-1))),
    ran: [...ran],
  };
}

describe("an agent file that names tools of MCP servers", () => {
  const forOne = ["mcp__shop__list", "shop/list", "shop__list", "mcp__shop__li*", "MCP__Shop__list"];
  for (const written of forOne) {
    it(`gives, and takes, the one that ${written} means`, async () => {
      assert.deepEqual((await delegated([`tools: ["Read", "${written}"]`])).names, ["shop__list", "read_file"]);
      assert.deepEqual((await delegated([`disallowedTools: ["${written}"]`])).names, [
        ...["shop__delete", "bank__pay", "read_file"],
      ]);
    });
  }

  for (const written of ["mcp__shop", "mcp__shop__*", "shop/*", "shop__*"]) {
    it(`gives, and takes, all of the server that ${written} means`, async () => {
      assert.deepEqual((await delegated([`tools: ["${written}"]`])).names, ["shop__list", "shop__delete"]);
      assert.deepEqual((await delegated([`disallowedTools: ["${written}"]`])).names, ["bank__pay", "read_file"]);
    });
  }

  it("means no other server whose name begins alike, and no tool whose name does", async () => {
    const tools = [tool("shop__list"), tool("shop__list_all"), tool("shop2__list")];
    assert.deepEqual((await delegated(["tools: mcp__shop"], { tools })).names, ["shop__list", "shop__list_all"]);
    assert.deepEqual((await delegated(["tools: mcp__shop__list"], { tools })).names, ["shop__list"]);
  });

  it("means by server/search a server's tool, and by search/codebase Copilot's own", async () => {
    const tools = [tool("shop__search"), tool("shop__codebase")];
    assert.deepEqual((await delegated(["tools: [shop/search]"], { tools })).names, ["shop__search"]);
    assert.ok(!file("a", "tools: [search/codebase]").tools?.some((name) => name.includes("/")));
  });

  it("gives what it names itself where the servers have too many tools to show", async () => {
    const { names } = await delegated(["tools: [mcp__shop__list, Read]"], { tools: many() });
    assert.deepEqual(names, ["shop__list", "read_file"]);
  });

  it("folds the rest, limited to what the agent may use", async () => {
    const script = [
      call("find_tools", { query: "bank pay" }),
      call("use_tool", { name: "bank__pay" }),
      call("use_tool", { name: "shop__more7" }),
      call("shop__list"),
      text("did it"),
    ];
    const { names, described, said, ran } = await delegated(["tools: [mcp__shop__list, mcp__shop]"], {
      ...{ tools: many(), script },
    });
    assert.deepEqual(names, ["shop__list", "find_tools", "use_tool"]);
    assert.match(described, /shop__more7/);
    assert.doesNotMatch(described, /bank__/);
    assert.match(said.join("\n"), /No tool matches[\s\S]*bank__pay is not allowed here/);
    assert.deepEqual(ran, ["shop__more7", "shop__list"]);
  });

  it("denies a tool by way of use_tool too, for the agent and for those below it", async () => {
    const script = [
      call("use_tool", { name: "shop__delete" }),
      call("delegate_to_agent", { agent: "helper", task: "work", context: "" }),
      call("use_tool", { name: "shop__delete" }),
      call("use_tool", { name: "shop__list" }),
      ...[text("helped"), text("did it")],
    ];
    const { names, ran } = await delegated(["disallowedTools: mcp__shop__delete"], { tools: many(), script });
    assert.deepEqual(names, ["find_tools", "use_tool", "read_file"]);
    assert.deepEqual(ran, ["shop__list"]);
  });

  it("lets an agent below find what the agent itself has unfolded, and nothing else", async () => {
    const script = [
      call("delegate_to_agent", { agent: "helper", task: "work", context: "" }),
      call("find_tools", { query: "list" }),
      call("use_tool", { name: "shop__list" }),
      call("use_tool", { name: "bank__pay" }),
      ...[text("helped"), text("did it")],
    ];
    const { ran, said } = await delegated(["tools: [mcp__shop__list]", "agents: [helper]"], { tools: many(), script });
    assert.match(said.join("\n"), /"name":"shop__list"/);
    assert.deepEqual(ran, ["shop__list"]);
  });
});
