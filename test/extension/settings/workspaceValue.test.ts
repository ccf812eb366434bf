import assert from "node:assert/strict";
import { effectiveValue } from "../../../src/extension/settings/settings.ts";
import { readSettings } from "../../support/manifest.ts";

describe("a setting of the workspace", () => {
  const review = (user: unknown, workspace: unknown) => effectiveValue("arbor.edits.review", { user, workspace });

  it("can make the review of edits stricter, never laxer", () => {
    assert.equal(review("off", "before"), "before");
    assert.equal(review("after", "before"), "before");
    assert.equal(review("off", "after"), "after");
    assert.equal(review(undefined, "off"), undefined);
    assert.equal(review("before", "after"), "before");
    assert.equal(review("after", "off"), "after");
    assert.equal(review("after", "nonsense"), "after");
  });

  it("can make the mode stricter, never laxer, whatever nonsense the user's own is", () => {
    const mode = (user: unknown, workspace: unknown) => effectiveValue("arbor.permissions.mode", { user, workspace });
    assert.equal(mode(undefined, "auto-edit"), undefined);
    assert.equal(mode(undefined, "plan"), "plan");
    assert.equal(mode("auto-edit", "ask"), "ask");
    assert.equal(mode("plan", "auto-edit"), "plan");
    assert.equal(mode("sudo", "auto-edit"), "sudo");
    assert.equal(mode("sudo", "plan"), "plan");
  });

  it("87 says nothing about what runs on this machine or where keys go", () => {
    assert.equal(effectiveValue("arbor.providers", { user: undefined, workspace: { evil: {} } }), undefined);
    assert.equal(effectiveValue("arbor.search.ripgrepPath", { user: "/rg", workspace: "./rg" }), "/rg");
    assert.equal(effectiveValue("arbor.trace.otlpEndpoint", { user: undefined, workspace: "http://evil" }), undefined);
  });

  it("94 says nothing where the package has the setting for the user alone, even as a part of a nested object", async () => {
    const own = (await readSettings()).filter(([, { scope }]) => scope === "application" || scope === "machine");
    assert.ok(own.length >= 8);
    // What an object like "arbor": {"mcp": {"servers": …}} holds is a value of the workspace, whatever the scope.
    for (const [key] of own) {
      assert.equal(effectiveValue(key, { user: undefined, workspace: { evil: "./x" } }), undefined, key);
      assert.equal(effectiveValue(key, { user: "own", workspace: "evil" }), "own", key);
    }
  });

  it("says nothing about which model gets the chat", () => {
    for (const key of ["arbor.model", "arbor.subAgentModel"]) {
      assert.equal(effectiveValue(key, { user: undefined, workspace: "local/evil" }), undefined);
      assert.equal(effectiveValue(key, { user: "anthropic/own", workspace: "local/evil" }), "anthropic/own");
    }
  });

  it("97 allows nothing, and adds what is asked and denied to the user's rules", () => {
    const rules = (key: string, user: unknown, workspace: unknown) =>
      effectiveValue(`arbor.permissions.${key}`, { user, workspace });
    assert.equal(rules("allow", undefined, ["run_command(*)"]), undefined);
    assert.deepEqual(rules("allow", ["run_command(a)"], ["run_command(*)"]), ["run_command(a)"]);
    assert.deepEqual(rules("deny", ["run_command(a)"], ["run_command(b)"]), ["run_command(a)", "run_command(b)"]);
    assert.deepEqual(rules("ask", undefined, ["run_command(b)"]), ["run_command(b)"]);
    assert.deepEqual(rules("deny", ["run_command(a)"], "nonsense"), ["run_command(a)"]);
  });

  it("can tighten a limit, never widen it", () => {
    const turns = (user: unknown, workspace: unknown) => effectiveValue("arbor.limits.maxTurns", { user, workspace });
    assert.equal(turns(10, 5), 5);
    assert.equal(turns(10, 500), 10);
    assert.equal(turns(10, undefined), 10);
    assert.equal(turns(undefined, 50), 50);
    assert.equal(turns(undefined, 500), undefined, "the default is the user's as well");
    assert.equal(turns("many", 500), "many");
    assert.equal(turns("many", 50), 50);
    for (const key of ["maxDepth", "maxParallelAgents"]) {
      const limit = (user: number, workspace: number) => effectiveValue(`arbor.limits.${key}`, { user, workspace });
      assert.deepEqual([limit(2, 5), limit(2, 1)], [2, 1]);
    }
  });

  it("can set a limit of cost where the user has none, and never lift one", () => {
    const cost = (user: unknown, workspace: unknown) => effectiveValue("arbor.limits.maxCost", { user, workspace });
    assert.equal(cost(undefined, 3), 3);
    assert.equal(cost(0, 3), 3);
    assert.equal(cost(2, 0), 2);
    assert.equal(cost(2, 3), 2);
    assert.equal(cost(2, 1.5), 1.5);
  });

  it("that makes no sense does not put a default in the place of the user's limit", () => {
    for (const nonsense of [-5, 0.5, Number.NaN, "1", null, {}]) {
      assert.equal(effectiveValue("arbor.limits.maxTurns", { user: 10, workspace: nonsense }), 10);
    }
    assert.equal(effectiveValue("arbor.limits.maxCost", { user: 2, workspace: -1 }), 2);
  });

  it("otherwise wins over the user's", () => {
    assert.equal(effectiveValue("arbor.compaction.threshold", { user: 0.5, workspace: 0.9 }), 0.9);
    assert.equal(effectiveValue("arbor.compaction.threshold", { user: 0.5, workspace: undefined }), 0.5);
  });
});
