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
