import assert from "node:assert/strict";
import { effectiveValue } from "../../../src/extension/settings/workspaceValue.ts";

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

  it("says nothing about what runs on this machine or where keys go", () => {
    assert.equal(effectiveValue("arbor.providers", { user: undefined, workspace: { evil: {} } }), undefined);
    assert.equal(effectiveValue("arbor.search.ripgrepPath", { user: "/rg", workspace: "./rg" }), "/rg");
    assert.equal(effectiveValue("arbor.trace.otlpEndpoint", { user: undefined, workspace: "http://evil" }), undefined);
  });

  it("otherwise wins over the user's", () => {
    assert.equal(effectiveValue("arbor.limits.maxTurns", { user: 10, workspace: 5 }), 5);
    assert.equal(effectiveValue("arbor.limits.maxTurns", { user: 10, workspace: undefined }), 10);
  });
});
