import assert from "node:assert/strict";
import type { AgentMeta } from "../../../src/agent/types.ts";
import { ChatGrants } from "../../../src/extension/approvals/chatGrants.ts";
import type { PermissionRequest } from "../../../src/extension/approvals/permission.ts";
import { PermissionQueue } from "../../../src/extension/approvals/permissionQueue.ts";
import type { HostEvent } from "../../../src/protocol/hostEvents.ts";
import { emptyHostState, reduceHost } from "../../../src/protocol/hostState.ts";

const agent: AgentMeta = { id: "claude", name: "Claude Code", prefix: "", depth: 1 };

function arrange() {
  let ids = 0;
  const events: HostEvent[] = [];
  const emit = (event: HostEvent) => void events.push(event);
  const newId = () => `id-${++ids}`;
  const queue = new PermissionQueue({
    newId,
    agentPath: (id) => ["main", id],
    lineage: (id) => ["main", "claude", id],
  });
  const ask = queue.askFor({ id: "chat", emit, grants: new ChatGrants({ emit, newId }) });
  const open = () => events.reduce(reduceHost, emptyHostState()).approvals;
  const call = (changes: Partial<Extract<PermissionRequest, { kind: "foreign" }>> = {}) => {
    const request = { agent, callId: `call-${++ids}`, toolName: "agent:Edit", program: "Claude Code" };
    return ask(
      { kind: "foreign", ...request, title: "Edit a.ts", details: "a.ts\n-one\n+ONE", isEdit: true, ...changes },
      new AbortController().signal,
    );
  };
  const allow = (scope?: "agent" | "session") => {
    const [{ id } = assert.fail()] = open();
    queue.decide(id, "accepted", scope === undefined ? {} : { scope });
  };
  return { open, call, allow };
}

describe("What an agent of another program asks", () => {
  it("is shown whole, with its path and in which nothing hides", () => {
    const { open, call } = arrange();
    void call({ title: "Edit\u202e a.ts" });
    const [approval] = open();
    assert.deepEqual(approval?.agentPath, ["main", "claude"]);
    assert.deepEqual(approval?.request, {
      ...{ kind: "foreign", text: "Edit⟨U+202E⟩ a.ts\na.ts\n-one\n+ONE" },
      detail: "Claude Code does this itself, with your rights, once you allow it.",
    });
  });

  it("is remembered here: all edits for the agent and those below it, anything else as it was", async () => {
    const { open, call, allow } = arrange();
    const first = call();
    allow("agent");
    assert.deepEqual(await first, { allowed: true });
    assert.deepEqual(await call({ title: "Edit b.ts", details: "b.ts", agent: { ...agent, id: "below" } }), {
      allowed: true,
    });
    void call({ isEdit: false, title: "Search the web", details: "{}" });
    assert.equal(open().length, 1);
    allow("session");
    assert.deepEqual(await call({ isEdit: false, title: "Search the web", details: "{}" }), { allowed: true });
    void call({ isEdit: false, title: "Search the web", details: "other" });
    assert.equal(open().length, 1);
    void call({ program: "Codex" });
    assert.equal(open().length, 2);
  });
});
