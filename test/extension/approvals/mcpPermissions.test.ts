import assert from "node:assert/strict";
import type { AgentMeta } from "../../../src/agent/types.ts";
import { ChatGrants } from "../../../src/extension/approvals/chatGrants.ts";
import type { McpPermission } from "../../../src/extension/approvals/permission.ts";
import { PermissionQueue } from "../../../src/extension/approvals/permissionQueue.ts";
import type { HostEvent } from "../../../src/protocol/hostEvents.ts";
import { emptyHostState, reduceHost } from "../../../src/protocol/hostState.ts";

const main: AgentMeta = { id: "main", name: "main", prefix: "main", depth: 0 };

function arrange() {
  let ids = 0;
  const events: HostEvent[] = [];
  const emit = (event: HostEvent) => void events.push(event);
  const newId = () => `id-${++ids}`;
  const queue = new PermissionQueue({ newId, agentPath: (id) => [id], lineage: (id) => [id] });
  const ask = queue.askFor({ id: "chat", emit, grants: new ChatGrants({ emit, newId }) });
  const open = () => events.reduce(reduceHost, emptyHostState()).approvals;
  const call = (changes: Partial<McpPermission> = {}) =>
    ask(
      {
        ...{
          kind: "mcp",
          purpose: "call",
          agent: main,
          callId: "call",
          toolName: "shop__buy",
          server: "shop",
          tool: "buy",
        },
        ...{ arguments: '{"n":1}', description: "Buys.", version: "1", isChanged: false },
        claims: { readsOnly: false, destroys: false, reachesOut: false },
        ...changes,
      },
      new AbortController().signal,
    );
  const allow = (scope?: "agent" | "session" | "pattern") => {
    const [{ id } = assert.fail()] = open();
    queue.decide(id, "accepted", scope === undefined ? {} : { scope });
  };
  return { open, call, allow };
}

describe("A call of an MCP server's tool", () => {
  it("is shown with its server and all arguments, in which nothing hides", () => {
    const { open, call } = arrange();
    void call({ arguments: '{"a":"\u202e"}', server: "sh\u200bop" });
    assert.deepEqual(open()[0]?.request, {
      ...{ kind: "mcp", text: 'buy {"a":"⟨U+202E⟩"}', detail: "on the MCP server sh⟨U+200B⟩op" },
    });
  });

  it("is asked for each time, unless the user allows more", async () => {
    const { open, call, allow } = arrange();
    const first = call();
    allow();
    assert.deepEqual(await first, { allowed: true });
    void call();
    assert.equal(open().length, 1);
  });

  it("can be allowed for the tool, whatever its arguments, and for no other tool or server", async () => {
    const { open, call, allow } = arrange();
    const first = call();
    allow("session");
    await first;
    assert.deepEqual(await call({ arguments: "{}" }), { allowed: true });
    void call({ tool: "sell" });
    void call({ server: "shop2" });
    assert.equal(open().length, 2);
  });

  it("can be allowed for all tools of the server", async () => {
    const { open, call, allow } = arrange();
    const first = call();
    assert.equal(open()[0]?.scopes?.[2]?.pattern, "shop: *");
    allow("pattern");
    await first;
    assert.deepEqual(await call({ tool: "sell", version: "2" }), { allowed: true });
  });

  it("is asked for again when the server describes the tool differently, with the new description", async () => {
    const { open, call, allow } = arrange();
    const first = call();
    allow("pattern");
    await first;
    void call({ version: "2", isChanged: true, description: "Buys all." });
    assert.match(open()[0]?.request?.detail ?? "", /differently since you last allowed it:\nBuys all\./);
    assert.equal(open()[0]?.scopes, undefined);
  });

  it("that is said to destroy something is asked for each time, and one that is said to only read is asked for too", async () => {
    const { open, call, allow } = arrange();
    const first = call();
    allow("pattern");
    await first;
    void call({ tool: "drop", claims: { readsOnly: false, destroys: true, reachesOut: false } });
    assert.match(open()[0]?.request?.detail ?? "", /may delete or overwrite/);
    assert.equal(open()[0]?.scopes, undefined);
    const fresh = arrange();
    void fresh.call({ claims: { readsOnly: true, destroys: false, reachesOut: true } });
    assert.match(fresh.open()[0]?.request?.detail ?? "", /only reads\.\n.*other systems/);
  });
});

describe("A question of an MCP server to the model", () => {
  it("is shown as a whole and asked about each time, also where all tools of the server are allowed", async () => {
    const { open, call, allow } = arrange();
    const first = call();
    allow("pattern");
    await first;
    void call({ purpose: "sampling", arguments: "Be brief.\n\nWhat is\u200b this?" });
    assert.equal(open()[0]?.request?.text, "Be brief.\n\nWhat is⟨U+200B⟩ this?");
    assert.match(open()[0]?.request?.detail ?? "", /wants the model to answer/);
    assert.equal(open()[0]?.scopes, undefined);
  });
});
