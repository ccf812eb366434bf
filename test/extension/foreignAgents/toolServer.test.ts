import assert from "node:assert/strict";
import { request } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type ServedTools, serveTools, type ToolServer } from "../../../src/extension/foreignAgents/toolServer.ts";

const parameters = { type: "object", properties: { text: { type: "string" } } };

describe("the server that offers tools to another program", () => {
  let server: ToolServer;
  const withdrawn: string[] = [];
  const waiting = Promise.withResolvers<void>();
  const tools: ServedTools = {
    list: () => [{ name: "echo", description: "Says it again.", parameters, isReadOnly: true }],
    async call(name, args, signal) {
      if (name === "wait") {
        waiting.resolve();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        withdrawn.push(String(signal.reason));
      }
      if (name === "fail") throw new Error("not now");
      return { content: [{ type: "text", text: JSON.stringify(args) }], isError: false };
    },
  };
  before(async () => {
    server = await serveTools(tools);
  });
  after(() => server.dispose());

  const headers = () => ({
    ...Object.fromEntries(server.address.headers.map(({ name, value }) => [name, value])),
    "content-type": "application/json",
  });
  async function post(body: unknown, more: Record<string, string> = {}) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return fetch(server.address.url, { method: "POST", headers: { ...headers(), ...more }, body: text });
  }

  async function connected() {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(server.address.url), { requestInit: { headers: headers() } }),
    );
    return client;
  }

  it("is one as clients of the protocol know it", async () => {
    const client = await connected();
    const listed = await client.listTools();
    assert.deepEqual(
      listed.tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
      [["echo", true]],
    );
    const echoed = await client.callTool({ name: "echo", arguments: { text: "hi" } });
    assert.deepEqual([echoed.content, echoed.isError], [[{ type: "text", text: '{"text":"hi"}' }], false]);
    const failed = await client.callTool({ name: "fail", arguments: {} });
    assert.deepEqual([failed.content, failed.isError], [[{ type: "text", text: "not now" }], true]);
    await client.ping();
    await client.close();
  });

  it("ends a call that is withdrawn, or that no one waits for any more", async () => {
    const client = await connected();
    const abort = new AbortController();
    const call = client.callTool({ name: "wait", arguments: {} }, { signal: abort.signal });
    await waiting.promise;
    abort.abort();
    await assert.rejects(call);
    while (withdrawn.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const gone = new AbortController();
    const body = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "wait" } };
    const answer = await fetch(server.address.url, {
      ...{ method: "POST", headers: headers(), body: JSON.stringify(body), signal: gone.signal },
    });
    // Its headers come at once.
    assert.equal(answer.headers.get("content-type"), "text/event-stream");
    gone.abort();
    while (withdrawn.length === 1) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.match(withdrawn.join(), /withdrawn/);
    await client.close();
  });

  it("knows the calls of two clients apart, whose ids are the same", async () => {
    const session = async () => {
      const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
      const answer = await post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
      return { "mcp-session-id": answer.headers.get("mcp-session-id") ?? "" };
    };
    const [first, second] = [await session(), await session()];
    const call = (name: string) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } });
    const before = withdrawn.length;
    const waits = await post(call("wait"), first);
    assert.match(await (await post(call("echo"), second)).text(), /"result"/);
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    await post(cancel, second);
    assert.equal(withdrawn.length, before);
    await post(cancel, first);
    await waits.text();
    assert.equal(withdrawn.length, before + 1);
  });

  it("answers no one without its token, no page, and no other host", async () => {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    assert.equal((await post(body)).status, 200);
    assert.equal((await post(body, { authorization: "Bearer x" })).status, 404);
    assert.equal((await post(body, { Authorization: "" })).status, 404);
    assert.equal((await post(body, { origin: "http://127.0.0.1" })).status, 404);
    assert.equal((await fetch(server.address.url, { headers: headers() })).status, 405);
    const { port } = new URL(server.address.url);
    const status = await new Promise((resolve) => {
      const options = { port, path: "/mcp", method: "POST", headers: { ...headers(), host: "evil.example" } };
      request(options, ({ statusCode }) => resolve(statusCode)).end("{}");
    });
    assert.equal(status, 404);
  });

  it("says what it does not understand, and goes on", async () => {
    for (const body of ["", "{", "[]", '{"jsonrpc":"2.0"}', "x".repeat(9_000_000)]) {
      assert.equal((await post(body)).status, 400, body.slice(0, 20));
    }
    const unknown = await post({ jsonrpc: "2.0", id: 1, method: "resources/list" });
    assert.match(await unknown.text(), /-32601/);
    const unreadable = await post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: 3 });
    assert.match(await unreadable.text(), /-32602/);
    assert.equal((await post({ jsonrpc: "2.0", method: "notifications/initialized" })).status, 202);
  });
});
