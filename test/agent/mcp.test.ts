import assert from "node:assert/strict";
import { type McpClient, type McpToolDescription, mcpTools } from "../../src/agent/mcp.ts";
import { toolDefinition } from "../../src/agent/vocabulary/tools.ts";
import { results } from "../support/agents.ts";
import { testAgent } from "../support/scriptedAgents.ts";
import { call, calls, text } from "../support/scriptedModel.ts";

const object = (properties: Record<string, unknown> = {}) => ({ type: "object", properties });

/** A client of a server with these tools, in pages of two. */
function clientOf(
  tools: McpToolDescription[],
  callTool: McpClient["callTool"] = async ({ name, arguments: args }) => ({
    content: [{ type: "text", text: `${name} ${JSON.stringify(args)}` }],
  }),
): McpClient {
  return {
    async listTools({ cursor = "0" } = {}) {
      const at = Number(cursor);
      const rest = at + 2 < tools.length ? { nextCursor: String(at + 2) } : {};
      return { tools: tools.slice(at, at + 2), ...rest };
    },
    callTool,
  };
}

const tool = (name: string, inputSchema: object = object()): McpToolDescription => ({
  ...{ name, inputSchema, description: `Does ${name}.`, title: name.toUpperCase() },
});

describe("the tools of an MCP client", () => {
  it("are tools of an agent, those of every page", async () => {
    const tools = await mcpTools(clientOf([tool("a", object({ n: { type: "number" } })), tool("b"), tool("c")]));
    assert.deepEqual(
      tools.map(({ name, label }) => [name, label]),
      [
        ["a", "A"],
        ["b", "B"],
        ["c", "C"],
      ],
    );
    assert.deepEqual(tools[0] && toolDefinition(tools[0]).parameters, object({ n: { type: "number" } }));
    const { agent } = testAgent([calls({ name: "a", args: { n: 1 } }, { name: "a", args: { n: "x" } }), text("ok")], {
      tools,
    });
    await agent.prompt("go");
    const [ran, refused] = results(agent.messages);
    assert.equal(ran, 'a {"n":1}');
    assert.match(refused ?? "", /Invalid arguments/);
  });

  it("are there without the one whose schema makes no sense, which is warned of", async () => {
    const warnings: string[] = [];
    const client = clientOf([tool("bad", { type: "nonsense" }), tool("good")]);
    const tools = await mcpTools(client, { onWarning: (message) => warnings.push(message) });
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["good"],
    );
    assert.match(warnings.join(), /"bad" is left out/);
  });

  it("may be chosen, named apart, and made to wait for approval", async () => {
    const write = { ...tool("write"), annotations: { destructiveHint: true } };
    const tools = await mcpTools(clientOf([tool("read"), write, tool("other")]), {
      prefix: "files_",
      filter: ({ name }) => name !== "other",
      needsApproval: ({ annotations }) => annotations?.destructiveHint === true,
    });
    assert.deepEqual(
      tools.map(({ name, needsApproval = false }) => [name, needsApproval]),
      [
        ["files_read", false],
        ["files_write", true],
      ],
    );
    const { agent } = testAgent([call("files_read"), text("ok")], { tools });
    await agent.prompt("go");
    assert.deepEqual(results(agent.messages), ["read {}"]);
  });

  it("give what the server answers: texts, images, errors, what is structured, and the names of the rest", async () => {
    const answers: Record<string, object> = {
      picture: { content: [{ type: "image", data: "AA==", mimeType: "image/png" }] },
      failed: { content: [{ type: "text", text: "no such file" }], isError: true },
      structured: { structuredContent: { n: 1 } },
      resource: {
        content: [
          { type: "resource", resource: { uri: "a:b", text: "held" } },
          { type: "audio", data: "" },
        ],
      },
    };
    const names = Object.keys(answers);
    const tools = await mcpTools(
      clientOf(
        names.map((name) => tool(name)),
        async ({ name }) => answers[name] ?? {},
      ),
    );
    const { agent } = testAgent([calls(...names.map((name) => ({ name }))), text("ok")], { tools });
    await agent.prompt("go");
    const messages = agent.messages.filter((message) => message.role === "toolResult");
    assert.deepEqual(messages[0]?.content, [{ type: "image", data: "AA==", mimeType: "image/png" }]);
    assert.deepEqual([messages[1]?.isError, messages[2]?.details], [true, { n: 1 }]);
    assert.deepEqual(results(messages), ["", "no such file", '{"n":1}', "held[A part of type audio can't be shown.]"]);
  });

  it("are not waited for once the run, or the listing, is aborted", async () => {
    const never = () => new Promise<never>(() => {});
    const [hangs] = await mcpTools(clientOf([tool("hangs")], never));
    assert.ok(hangs);
    const { agent } = testAgent([call("hangs")], { tools: [hangs] });
    const sent = agent.send("go").result;
    setTimeout(() => void agent.abort(), 5);
    assert.equal((await sent).reason, "aborted");
    const signal = AbortSignal.timeout(5);
    await assert.rejects(mcpTools({ listTools: never, callTool: never }, { signal }), { code: "aborted" });
  });
});
