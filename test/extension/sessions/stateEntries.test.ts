import assert from "node:assert/strict";
import { emptyUsage } from "../../../src/agent/vocabulary/usage.ts";
import { StateEntries } from "../../../src/extension/sessions/stateEntries.ts";
import { emptyHostState, reduceHost } from "../../../src/protocol/hostState.ts";
import { childMeta, eventSource } from "../../support/events.ts";

describe("the state of a session whose file was written by hand", () => {
  it("is found though agents spawned themselves or each other", () => {
    const next = eventSource();
    const metas = [
      ["own", "own"],
      ["one", "two"],
      ["two", "one"],
    ].map(([id = "", parentId = ""]) => ({ ...childMeta, id, parentId }));
    const spent = { ...emptyUsage(), input: 10 };
    const usage = {
      type: "usage",
      ...{ delta: spent, own: spent, total: spent, contextTokens: 0, contextPercent: 0 },
    } as const;
    const entries = new StateEntries();
    for (const meta of metas) entries.add({ seq: 1, agent: next(meta, { type: "agent_start" }) });
    for (const meta of metas) entries.add({ seq: 2, agent: next(meta, usage) });
    assert.equal(entries.isRunning, false);
  });
});

describe("the state of a session in which the user was asked", () => {
  it("has the answers that were given and the calls that they were for, without what was shown", () => {
    const asker = { agentId: "root", agentPath: ["main"], callId: "call-1" };
    const other = { agentId: "child", agentPath: ["main", "edit"], callId: "call-2" };
    const file = { path: "a.ts", change: "update" as const, languageId: "typescript", hunks: [] };
    const approval = { ...asker, id: "1", toolName: "edit_file", files: [file], others: [other] };
    const entries = new StateEntries();
    entries.add({ seq: 1, host: { type: "approval_requested", approval } });
    assert.equal(entries.entries().length, 1);
    entries.add({ seq: 2, host: { type: "approval_closed", approvalId: "1", outcome: "accepted" } });
    const logs = entries.entries();
    const state = logs.reduce(
      (known, entry) => ("host" in entry ? reduceHost(known, entry.host) : known),
      emptyHostState(),
    );
    assert.deepEqual(state.answeredCalls, { "call-1": "accepted", "call-2": "accepted" });
    assert.deepEqual(state.approvals, []);
    assert.ok(!JSON.stringify(logs).includes("a.ts"));
  });
});
