import assert from "node:assert/strict";
import { parseLink, pathInCode } from "../../../src/webview/text/links.ts";

describe("links of a message", () => {
  const refused = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    "data:text/html,<script>",
    "command:workbench.action.quit",
    "vscode://file/etc/passwd",
    "file:///etc/passwd",
    "//evil.test/x",
    "\\\\server\\share",
    "/etc/passwd",
    "../outside.ts",
    "src/../../outside.ts",
    "src/%2e%2e/%2e%2e/outside.ts",
    "%5c%5cserver%5cshare",
    "~/secret",
    "#top",
    "",
    "http://a b",
    "https://exa\u202emple.com",
    "https://",
    `https://a.test/${"x".repeat(3_000)}`,
  ];
  for (const href of refused) {
    it(`83 leads nowhere from ${JSON.stringify(href.slice(0, 40))}`, () => assert.equal(parseLink(href), undefined));
  }

  it("leads to web and mail addresses", () => {
    for (const href of ["https://example.com/a?b#c", "http://localhost:3000", "mailto:a@example.com"]) {
      assert.deepEqual(parseLink(href), { kind: "url", href });
    }
  });

  it("leads to workspace files, with the line in any usual form", () => {
    assert.deepEqual(parseLink("src/a.ts"), { kind: "file", path: "src/a.ts" });
    for (const href of ["src/a.ts#L12", "src/a.ts#L12-L20", "src/a.ts:12", "src/a.ts:12:3", "src/a.ts:12-20"]) {
      assert.deepEqual(parseLink(href), { kind: "file", path: "src/a.ts", line: 12 }, href);
    }
    assert.deepEqual(parseLink("price.ts:7"), { kind: "file", path: "price.ts", line: 7 });
    assert.deepEqual(parseLink("a%20b.md"), { kind: "file", path: "a b.md" });
  });

  it("sees paths in inline code only where a folder or a line says that it is one", () => {
    assert.deepEqual(pathInCode("src/cart/price.ts:24"), { kind: "file", path: "src/cart/price.ts", line: 24 });
    assert.deepEqual(pathInCode("price.ts:24"), { kind: "file", path: "price.ts", line: 24 });
    for (const code of ["price.ts", "a.b()", "npm test", "x / y.z", "object.property"]) {
      assert.equal(pathInCode(code), undefined, code);
    }
  });
});
