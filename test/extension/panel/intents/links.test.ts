import assert from "node:assert/strict";
import { linkTarget } from "../../../../src/extension/panel/intents/intentHandlers.ts";

describe("a link in a conversation", () => {
  it("leads to a file of the workspace, with its line", () => {
    assert.deepEqual(linkTarget("src/prices.ts:12"), { kind: "file", path: "src/prices.ts", line: 12 });
    assert.deepEqual(linkTarget("src/prices.ts#L12"), { kind: "file", path: "src/prices.ts", line: 12 });
    assert.deepEqual(linkTarget("src/prices.ts#L12-L20"), { kind: "file", path: "src/prices.ts", line: 12 });
    assert.deepEqual(linkTarget("README.md"), { kind: "file", path: "README.md" });
    assert.deepEqual(linkTarget("prices.ts:12"), { kind: "file", path: "prices.ts", line: 12 });
  });

  it("leads to the web over http, https and mail only", () => {
    assert.deepEqual(linkTarget("https://example.org/a"), { kind: "web", url: "https://example.org/a" });
    assert.deepEqual(linkTarget("mailto:a@example.org"), { kind: "web", url: "mailto:a@example.org" });
  });

  it("83 leads nowhere when it could run, read or reach something else", () => {
    const refused = [
      "command:workbench.action.quit",
      "javascript:alert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "vscode://x/y",
      "/etc/passwd",
      "//host/share",
      "\\\\host\\share",
      "../outside.ts",
      "a/../../outside.ts",
      "a%2f..%2f..%2fb",
      "https://user:secret@example.org/",
      "",
      "#top",
    ];
    for (const href of refused) assert.equal(linkTarget(href), undefined, href);
  });
});
