import assert from "node:assert/strict";
import { type AgentTool, jsonSchemaTool, toolDefinition } from "../../../src/agent/vocabulary/tools.ts";
import type { McpPermission } from "../../../src/extension/approvals/permission.ts";
import { type Offer, offeredTools, toolsOfAll, unfoldedTools } from "../../../src/extension/mcp/findTools.ts";
import { type ToolSource, toolsOfServers } from "../../../src/extension/mcp/mcpTools.ts";
import { runTool } from "../../support/toolContext.ts";
import { hostile, TestServers } from "./support/servers.ts";

const servers = new TestServers();
const plain = (name: string, description = "") =>
  jsonSchemaTool({ name, description, parameters: { type: "object", properties: {} } }, () => "done");
const many = (count: number, server = "a") => Array.from({ length: count }, (_, at) => plain(`${server}__t${at}`));
const named = (tools: { name: string }[]) => tools.map(({ name }) => name);

describe("The tools of MCP servers", () => {
  afterEach(() => servers.dispose());

  it("are offered as they are up to 40", () => {
    assert.equal(offeredTools(many(40)).length, 40);
    assert.deepEqual(named(offeredTools(many(41))), ["find_tools", "use_tool"]);
  });

  it("are to be searched when their definitions are long, however few they are", () => {
    const long = [1, 2, 3].map((at) => plain(`a__${at}`, "word ".repeat(2_500)));
    assert.deepEqual(named(offeredTools(long)), ["find_tools", "use_tool"]);
  });

  it("stay listed by server, each server with a share of the list", () => {
    const [find] = offeredTools([...many(2_000, "big"), ...many(3, "small")]);
    assert.ok(find);
    assert.match(find.description, /^big: big__t0, .* and \d+ more$/m);
    assert.match(find.description, /^small: small__t0, small__t1, small__t2$/m);
    assert.ok(find.description.length < 14_000);
  });

  it("are found by words and by name, and looking for them changes nothing of what is offered", async () => {
    const tools = [...many(50), plain("a__wash", "Does the laundry.")];
    const offered = offeredTools(tools);
    const before = offered.map((tool) => JSON.stringify(toolDefinition(tool)));
    const [find] = offered;
    assert.ok(find);
    assert.match((await runTool(find, { query: "laundry" })).text, /"name":"a__wash"/);
    assert.match((await runTool(find, { query: "a__t17" })).text.split("\n")[1] ?? "", /"name":"a__t17"/);
    assert.match((await runTool(find, { query: "zzz" })).text, /No tool matches/);
    assert.deepEqual(
      offeredTools(tools).map((tool) => JSON.stringify(toolDefinition(tool))),
      before,
    );
  });

  it("are called by their name with the same question to the user, and with checked arguments", async () => {
    const server = servers.create(hostile("many"));
    await server.start(new AbortController().signal);
    const asked: McpPermission[] = [];
    const offered = offeredTools(
      toolsOfServers([server], {
        async askPermission(request) {
          if (request.kind === "mcp") asked.push(request);
          return { allowed: true };
        },
        ask: async () => "",
        subAgentParts: () => ({}),
        allowed: { read: () => ({}), write: async () => {} },
        outputs: { keep: async () => "" },
      }),
    );
    const [find, use] = offered;
    assert.ok(find && use);
    assert.match((await runTool(find, { query: "laundry" })).text, /test__tool_321/);
    assert.match((await runTool(use, { name: "test__tool_321" })).text, /ok$/);
    assert.deepEqual(
      asked.map(({ toolName, tool }) => [toolName, tool]),
      [["test__tool_321", "tool_321"]],
    );
    assert.equal((await runTool(use, { name: "run_command" })).result.isError, true);
  });

  it("are searched with those of other extensions by one tool, and none has the name of another", async () => {
    const source = (name: string, count: number) => ({
      definition: { id: `id of ${name} ${count}`, name },
      offers: {
        tools: Array.from({ length: count }, (_, at) => ({ name: `t${at}`, inputSchema: { type: "object" as const } })),
      },
      callTool: async () => ({ content: [{ type: "text" as const, text: `of ${count}` }] }),
    });
    const parts = {
      askPermission: async () => ({ allowed: true }) as const,
      ask: async () => "",
      subAgentParts: () => ({}),
      outputs: { keep: async () => "" },
    };
    const allowed = { read: () => ({}), write: async () => {} };
    const offer =
      (...sources: ToolSource[]): Offer =>
      (given) =>
        toolsOfServers(sources, { ...given, allowed });
    const both = toolsOfAll(parts, [offer(source("shop", 50)), offer(source("shop", 45), source("other", 1))]);
    assert.deepEqual(named(both), ["find_tools", "use_tool"]);
    const each = unfoldedTools(both).map(({ name }) => name);
    assert.deepEqual([each.length, new Set(each).size], [96, 96]);
    const few = toolsOfAll(parts, [offer(source("shop", 1)), offer(source("shop", 2))]);
    assert.equal(new Set(named(few)).size, 3);
    assert.match((await runTool(few[0] as AgentTool, {})).text, /of 1/);
    assert.deepEqual(named(toolsOfAll(parts, [offer(source("a", 30)), offer(source("b", 30))])), [
      ...["find_tools", "use_tool"],
    ]);
  });

  it("that are called with wrong arguments answer with their schema", async () => {
    const strict = jsonSchemaTool(
      {
        name: "a__strict",
        description: "",
        parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      },
      () => "done",
    );
    const [, use] = offeredTools([...many(50), strict]);
    assert.ok(use);
    const { result, text } = await runTool(use, { name: "a__strict", arguments: { n: "x" } });
    assert.equal(result.isError, true);
    assert.match(text, /"required":\["n"\]/);
    assert.equal((await runTool(use, { name: "a__strict", arguments: { n: 1 } })).text, "done");
  });
});
