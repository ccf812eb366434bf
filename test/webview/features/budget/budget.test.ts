import assert from "node:assert/strict";
import {
  amountWithUnit,
  limitsLine,
  limitsOf,
  typedLimits,
  usesLine,
} from "../../../../src/webview/features/budget/budget.ts";

const empty = { cost: "", tokens: "", turns: "", minutes: "" };

describe("budgets as the panel shows them", () => {
  it("read as amounts of what they limit", () => {
    assert.equal(amountWithUnit("cost", 2), "$2.00");
    assert.equal(amountWithUnit("tokens", 50_000), "50k tokens");
    assert.deepEqual([amountWithUnit("turns", 1), amountWithUnit("turns", 50)], ["1 request", "50 requests"]);
    assert.deepEqual([amountWithUnit("minutes", 10), amountWithUnit("minutes", 2.25)], ["10 min", "2.3 min"]);
    assert.equal(limitsLine({ cost: 0, turns: 50, minutes: 5 }), "50 requests · 5 min");
    assert.equal(limitsLine({ turns: 0 }), undefined);
  });

  it("say what of each limit is used", () => {
    const use = { agentId: "a", since: 0, used: { cost: 0.2, tokens: 400, turns: 3, minutes: 1.5 } };
    assert.equal(usesLine({ ...use, allowed: { cost: 1, turns: 5 } }), "$0.20 of $1.00 · 3 of 5 requests");
    assert.equal(usesLine({ ...use, allowed: {} }), undefined);
  });

  it("fall back to the settings for the tree, and to those of each sub-agent for one of them", () => {
    const budgets = { tree: { turns: 5 }, eachSubAgent: { tokens: 9 }, "agent:e1": { cost: 1 } };
    assert.deepEqual(limitsOf({ scope: "tree" }, budgets, { turns: 100 }), {
      chosen: { turns: 5 },
      fallback: { turns: 100 },
    });
    assert.deepEqual(limitsOf({ scope: "agent", agentId: "e1" }, budgets, { turns: 100 }), {
      chosen: { cost: 1 },
      fallback: { tokens: 9 },
    });
    assert.deepEqual(limitsOf({ scope: "agent", agentId: "e2" }, budgets, {}).chosen, {});
  });

  it("are taken from what was typed, where each field is an amount or empty", () => {
    assert.deepEqual(typedLimits({ ...empty, cost: " 1,5 ", turns: "0" }), { cost: 1.5, turns: 0 });
    assert.deepEqual(typedLimits(empty), {});
    for (const wrong of ["many", "-1", "1e99", "NaN", "1 000 €"]) {
      assert.equal(typedLimits({ ...empty, tokens: wrong }), undefined, wrong);
    }
  });
});
