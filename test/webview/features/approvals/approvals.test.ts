import assert from "node:assert/strict";
import { dividerStep } from "../../../../src/webview/features/agents/treeKeys.ts";
import { menuStep } from "../../../../src/webview/features/approvals/approvals.ts";
import { allowedText, grantText, scopeText } from "../../../../src/webview/text/approvalTexts.ts";
import { oneHunk } from "../../gallery/scenes.ts";

describe("the keys of an open menu", () => {
  it("go round, to the ends, and close", () => {
    assert.deepEqual(
      ["ArrowDown", "ArrowUp", "Home", "End", "Escape", "Tab", "x"].map((key) => menuStep(key, 2, 3)),
      [0, 1, 0, 2, "close", "close", undefined],
    );
    assert.equal(menuStep("ArrowUp", -1, 3), 2);
  });
});

describe("the keys of the divider below the tree", () => {
  const heights = { now: 100, min: 22, max: 110 };
  it("move it a row at a time, between one row and all", () => {
    assert.deepEqual(
      ["ArrowDown", "ArrowUp", "Home", "End", "Enter", "x"].map((key) => dividerStep(key, heights)),
      [110, 78, 22, 110, 22, undefined],
    );
    assert.equal(dividerStep("Enter", { ...heights, now: 22 }), 110);
    assert.equal(dividerStep("ArrowUp", { ...heights, now: 30 }), 22);
  });
});

describe("the words of a grant", () => {
  const edits = { id: "g", kind: "edit", scope: "pattern", text: "src/**" } as const;
  const command = { id: "g", kind: "command", scope: "agent", text: "npm test\nrm x", folder: "shop" } as const;

  it("say how far an answer reaches", () => {
    assert.equal(scopeText({ scope: "agent" }, oneHunk), "This agent and its sub-agents");
    assert.equal(scopeText({ scope: "pattern", pattern: "src/**" }, oneHunk), "src/** in this chat");
  });

  it("say what let a call through", () => {
    assert.equal(allowedText({ ...edits, scope: "session" }), "Allowed by you for this chat");
    assert.equal(allowedText(edits), "Allowed by you for src/** in this chat");
    const ofAgent = { ...command, agentPath: ["main", "tests"] };
    assert.equal(allowedText(ofAgent), "Allowed by you for main › tests and its sub-agents");
  });

  it("say what is allowed to whom, with all of a command, line breaks too", () => {
    assert.deepEqual(grantText(edits), { what: "Edits of src/**", whom: "this chat" });
    assert.deepEqual(grantText({ ...edits, text: "**" }).what, "Edits of all files");
    assert.deepEqual(grantText({ ...command, agentPath: ["main", "tests"] }), {
      what: "npm test\\u{a}rm x",
      whom: "in shop, main › tests and its sub-agents",
    });
  });
});
