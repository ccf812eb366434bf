import assert from "node:assert/strict";
import { toolBench } from "../../support/editorTools.ts";

describe("find_files", () => {
  it("gives the last changed file first", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "", "src/b.ts": "", "c.md": "" } });
    await workspace.replace("a.ts", [{ start: 0, end: 0, text: "x" }]);
    assert.equal((await call("find_files", { pattern: "*.ts" })).text, "a.ts\nsrc/b.ts");
  });

  it("takes braces, commas and folders", async () => {
    const { call } = toolBench({ files: { "src/a.ts": "", "src/b.tsx": "", "src/c.md": "", "d.ts": "" } });
    const { text } = await call("find_files", { pattern: "src/**/*.{ts,tsx}" });
    assert.deepEqual(text.split("\n").sort(), ["src/a.ts", "src/b.tsx"]);
    assert.equal((await call("find_files", { pattern: "*.md, *.tsx" })).text.split("\n").length, 2);
    assert.equal((await call("find_files", { pattern: "src" })).text.split("\n").length, 3);
  });

  it("leaves out what .gitignore names", async () => {
    const { call } = toolBench({ files: { ".gitignore": "out/\n", "out/a.ts": "", "b.ts": "" } });
    assert.equal((await call("find_files", { pattern: "**/*.ts" })).text, "b.ts");
  });

  it("stops at the limit and says so", async () => {
    const { call } = toolBench({ files: { "a.ts": "", "b.ts": "", "c.ts": "" } });
    const { text } = await call("find_files", { pattern: "*.ts", limit: 2 });
    assert.match(text, /^\S+\n\S+\n\(More than 2 files match: narrow the pattern or raise limit\.\)$/);
  });

  it("keeps to its limit where 100,000 files match", async function () {
    this.timeout(120_000);
    const files = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`src/file${index}.ts`, ""]));
    const { text, result } = await toolBench({ files }).call("find_files", { pattern: "**/*.ts" });
    const lines = text.split("\n");
    assert.deepEqual([lines.length, lines[0]], [101, "src/file99999.ts"]);
    assert.equal(lines.at(-1), "(More than 100 files match: narrow the pattern or raise limit.)");
    assert.deepEqual(result.details, { pattern: "**/*.ts", files: 100, truncated: true });
  });

  it("suggests any depth when a rooted pattern finds nothing", async () => {
    const { call } = toolBench({ files: { "app/src/a.ts": "" } });
    const { text } = await call("find_files", { pattern: "src/*.ts" });
    assert.equal(text, "No file matches src/*.ts. Try **/src/*.ts.");
  });

  it("refuses an empty pattern", async () => {
    const { call } = toolBench({ files: { "a.ts": "" } });
    assert.equal((await call("find_files", { pattern: " " })).result.isError, true);
  });
});
