import assert from "node:assert/strict";
import { jsonSchemaTool, toolDefinition } from "../../../src/agent/vocabulary/tools.ts";
import type { McpPermission } from "../../../src/extension/approvals/permission.ts";
import { offeredTools } from "../../../src/extension/mcp/findTools.ts";
import { toolsOfServers } from "../../../src/extension/mcp/mcpTools.ts";
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
