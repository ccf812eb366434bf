import assert from "node:assert/strict";
import { emptyUsage } from "../../../src/agent/vocabulary/usage.ts";
import { StateEntries } from "../../../src/extension/sessions/stateEntries.ts";
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
