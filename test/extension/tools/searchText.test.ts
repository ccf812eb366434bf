import assert from "node:assert/strict";
import { toolBench } from "../../support/editorTools.ts";

describe("search_text", () => {
  it("groups matches by file with line numbers", async () => {
    const { call } = toolBench({ files: { "b.ts": "price\n", "a.ts": "x\nPrice\nprice\n" } });
    const { text, result } = await call("search_text", { query: "price" });
    assert.equal(text, "a.ts\n  2: Price\n  3: price\nb.ts\n  1: price");
    assert.deepEqual(result.details, { matches: 3, files: 2 });
  });

  it("reports matches as they are found", async () => {
    const { call } = toolBench({ files: { "a.ts": "x\nprice\n" } });
    assert.equal((await call("search_text", { query: "price" })).output, "a.ts:2: price\n");
  });

  it("minds the case when asked to", async () => {
    const { call } = toolBench({ files: { "a.ts": "Price\nprice\n" } });
    assert.equal((await call("search_text", { query: "price", case_sensitive: true })).text, "a.ts\n  2: price");
  });

  it("takes the query literally unless it is a regex", async () => {
    const { call } = toolBench({ files: { "a.ts": "f(x)\nfx\n" } });
    assert.equal((await call("search_text", { query: "f(x)" })).text, "a.ts\n  1: f(x)");
    assert.equal((await call("search_text", { query: "f.?x", regex: true })).text, "a.ts\n  1: f(x)\n  2: fx");
  });

  it("shows the lines around a match and marks gaps", async () => {
    const { call } = toolBench({ files: { "a.ts": "1\nhit\n3\n4\n5\n6\nhit\n8\n" } });
    const { text } = await call("search_text", { query: "hit", context_lines: 1 });
    assert.equal(text, "a.ts\n  1- 1\n  2: hit\n  3- 3\n  …\n  6- 6\n  7: hit\n  8- 8");
  });

  it("searches only what include names and not what exclude names", async () => {
    const { call } = toolBench({ files: { "src/a.ts": "x", "src/a.test.ts": "x", "docs/a.md": "x" } });
    const { text } = await call("search_text", { query: "x", include: "src/**", exclude: "*.test.ts" });
    assert.equal(text, "src/a.ts\n  1: x");
  });

  it("stops at the limit and says that there is more", async () => {
    const { call } = toolBench({ files: { "a.ts": "x\nx\nx\n" } });
    const { text } = await call("search_text", { query: "x", limit: 2 });
    assert.equal(text, "a.ts\n  1: x\n  2: x\n(More than 2 lines match: narrow the search or raise limit.)");
  });

  it("does not speak of more when the limit is just met", async () => {
    const { call } = toolBench({ files: { "a.ts": "x\nx\n" } });
    assert.equal((await call("search_text", { query: "x", limit: 2 })).text, "a.ts\n  1: x\n  2: x");
  });

  it("finds text over several lines whatever their ends", async () => {
    const { call } = toolBench({ files: { "a.ts": "one\r\ntwo\r\nthree\r\n" } });
    assert.equal((await call("search_text", { query: "one\ntwo" })).text, "a.ts\n  1: one\n  2: two");
  });

  it("searches the editor's unsaved text", async () => {
    const { call } = toolBench({ files: { "a.ts": "old\n" }, unsaved: { "a.ts": "typed\n" } });
    assert.equal((await call("search_text", { query: "typed" })).text, "a.ts\n  1: typed");
    assert.match((await call("search_text", { query: "old" })).text, /^Nothing matches "old"/);
  });

  it("stops a regex that would take for ever", async () => {
    const { call } = toolBench({ files: { "a.ts": `${"a".repeat(60)}b\n` } });
    const { text, result } = await call("search_text", { query: "(a+)+$", regex: true });
    assert.equal(result.isError, true);
    assert.match(text, /^The regex "\(a\+\)\+\$" takes too long\./);
  });

  it("says what is wrong with a regex", async () => {
    const { call } = toolBench({ files: { "a.ts": "x" } });
    const { text, result } = await call("search_text", { query: "foo(", regex: true });
    assert.equal(result.isError, true);
    assert.match(text, /^The regex "foo\(" is invalid: Unterminated group\./);
  });

  it("cuts a long line around its match", async () => {
    const { call } = toolBench({ files: { "a.ts": `${"a".repeat(3_000)}needle${"b".repeat(3_000)}` } });
    const { text } = await call("search_text", { query: "needle" });
    assert.match(text, /: …a+needleb+…$/);
    assert.ok(text.length < 600);
  });

  it("keeps its report within 50 kB", async () => {
    const { call } = toolBench({ files: { "a.ts": `${"x".repeat(400)}\n`.repeat(300) } });
    const { text } = await call("search_text", { query: "x", limit: 300 });
    assert.ok(text.length < 50_200);
    assert.match(text, /more lines do not fit: narrow the search with include/);
  });

  it("ends with the abort", async () => {
    const { call } = toolBench({ files: { "a.ts": "x" } });
    const signal = AbortSignal.abort(new Error("stopped"));
    await assert.rejects(call("search_text", { query: "x" }, { signal }), /stopped/);
  });
});
