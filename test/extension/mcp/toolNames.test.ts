import assert from "node:assert/strict";
import { calledTool, isServerToolName, mcpAliases, serverToolNamed } from "../../../src/extension/mcp/toolNames.ts";
import { hostile, TestServers } from "./support/servers.ts";
import { setUp } from "./support/toolsInUse.ts";

const servers = new TestServers();
const shop = { name: "shop__list" };
/** As a server's tool is named for models whose own name has other characters, or is too long. */
const renamed = { name: "my_shop__list_all_0a1b2c3d", origin: { server: "my shop", tool: "list.all" } };

describe("the name of a server's tool, as it is written", () => {
  afterEach(() => servers.dispose());

  it("means the tool alone, or all of its server, or another one", () => {
    const kinds = (written: string) => serverToolNamed(written, shop);
    for (const one of ["mcp__shop__list", "shop/list", "shop__list", "Shop/List"]) assert.equal(kinds(one), "one", one);
    for (const several of ["mcp__shop", "mcp__shop__*", "shop/*", "shop__*", "shop/l*", "mcp__*"])
      assert.equal(kinds(several), "several", several);
    const others = ["mcp__sho", "mcp__shop2", "mcp__shop__lis", "shop", "list", "mcp__list", "*/list", "shop/list/x"];
    for (const other of others) assert.equal(kinds(other), undefined, other);
  });

  it("is the server's own, or that with other characters replaced", () => {
    for (const written of ["my shop/list.all", "mcp__my_shop__list_all", "my_shop__list_all", renamed.name])
      assert.equal(serverToolNamed(written, renamed), "one", written);
    assert.equal(serverToolNamed("mcp__my_shop", renamed), "several");
    assert.deepEqual(mcpAliases(renamed), ["mcp__my_shop__list_all", "mcp__my_shop__list_all_0a1b2c3d"]);
    assert.deepEqual(mcpAliases(shop), ["mcp__shop__list"]);
    assert.deepEqual([mcpAliases({ name: "read_file" }), mcpAliases({ name: "find_tools" })], [[], []]);
  });

  it("is known from what a server that runs calls itself", async () => {
    const server = servers.create(hostile("many"));
    const { tools } = await setUp(server);
    const [first] = tools();
    assert.ok(first);
    assert.equal(serverToolNamed(`${server.definition.name}/${server.offers.tools[0]?.name}`, first), "one");
    assert.ok("origin" in first);
    assert.deepEqual(first.origin, { server: server.definition.name, tool: server.offers.tools[0]?.name });
  });

  it("looks like no name of another tool", () => {
    for (const name of ["mcp__a", "a/b", "a__b", "a/*"]) assert.ok(isServerToolName(name), name);
    for (const name of ["read_file", "Read", "/a", "__a", "juggle"]) assert.ok(!isServerToolName(name), name);
  });

  it("is that of the call's tool by way of use_tool", () => {
    const called = (name: string, args: unknown) => {
      const { name: found, args: own } = calledTool(name, args);
      return [found, own];
    };
    assert.deepEqual(called("use_tool", { name: "a__b", arguments: { n: 1 } }), ["a__b", { n: 1 }]);
    assert.deepEqual(called("use_tool", { name: "a__b" }), ["a__b", {}]);
    assert.deepEqual(called("use_tool", { nam: "a__b" }), ["use_tool", { nam: "a__b" }]);
    assert.deepEqual(called("a__b", { name: "c" }), ["a__b", { name: "c" }]);
  });
});
