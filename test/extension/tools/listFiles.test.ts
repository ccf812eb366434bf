import assert from "node:assert/strict";
import { toolBench } from "../../support/editorTools.ts";

describe("list_files", () => {
  it("gives a tree with folders first", async () => {
    const { call } = toolBench({ files: { "b.md": "", "src/z.ts": "", "src/inner/a.ts": "" } });
    const { text } = await call("list_files", {});
    assert.equal(text, ["src/", "  inner/", "    a.ts", "  z.ts", "b.md"].join("\n"));
  });

  it("goes as deep as asked", async () => {
    const { call } = toolBench({ files: { "src/inner/a.ts": "", "c.ts": "" } });
    assert.equal((await call("list_files", { depth: 1 })).text, "src/\nc.ts");
  });

  it("lists one folder from its own level", async () => {
    const { call } = toolBench({ files: { "src/inner/a.ts": "", "c.ts": "" } });
    assert.equal((await call("list_files", { path: "src/inner" })).text, "a.ts");
  });

  it("leaves out what .gitignore names, nested files and exceptions included", async () => {
    const { call } = toolBench({
      files: {
        ".gitignore": "node_modules\n*.log\n",
        "node_modules/x/index.js": "",
        "a.log": "",
        "keep/.gitignore": "!important.log\n",
        "keep/important.log": "",
        "keep/other.log": "",
      },
    });
    const { text } = await call("list_files", {});
    assert.equal(text, ["keep/", "  .gitignore", "  important.log", ".gitignore"].join("\n"));
  });

  it("spends its limit level by level and counts what is left out", async () => {
    const full = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`a/${index}.txt`, ""]));
    const { call } = toolBench({ files: { ...full, "z/last.txt": "" } });
    const { text } = await call("list_files", {});
    assert.match(text, /^z\/$/m);
    assert.match(text, /\(103 more entries are left out: list a folder below, or a smaller depth\.\)$/);
  });

  it("says that a file is a file", async () => {
    const { call } = toolBench({ files: { "a.ts": "" } });
    assert.equal(
      (await call("list_files", { path: "a.ts" })).text,
      "a.ts is a file. Use read_file to see what is in it.",
    );
  });

  it("names near folders when the path is missing", async () => {
    const { call } = toolBench({ files: { "source/a.ts": "" } });
    assert.match(
      (await call("list_files", { path: "sources" })).text,
      /^sources does not exist\. Did you mean source\?$/,
    );
  });

  it("lists every open folder where there are several", async () => {
    const { call } = toolBench({ roots: ["app", "lib"], files: { "app/a.ts": "", "lib/b.ts": "" } });
    assert.equal((await call("list_files", {})).text, "app/\n  a.ts\nlib/\n  b.ts");
  });

  it("says that no folder is open", async () => {
    const { call } = toolBench({ roots: [] });
    const { text, result } = await call("list_files", {});
    assert.equal(result.isError, true);
    assert.match(text, /^No folder is open\./);
  });
});
