import assert from "node:assert/strict";
import { readFileTool } from "../../../src/extension/tools/readFile.ts";
import { toolBench } from "../../support/editorTools.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";
import { runTool } from "../../support/toolContext.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");

describe("read_file", () => {
  it("gives each line with its number", async () => {
    const { call } = toolBench({ files: { "src/a.ts": "one\r\ntwo\n" } });
    const { text, result } = await call("read_file", { path: "src/a.ts" });
    assert.equal(text, "1\tone\n2\ttwo");
    assert.deepEqual(result.details, { path: "src/a.ts", startLine: 1, endLine: 2, totalLines: 2 });
  });

  it("reports what was given of a file, for a caller that counts it", async () => {
    const { dependencies } = toolBench({ files: { "a.ts": "one\ntwo\n" } });
    const given: string[][] = [];
    const tool = readFileTool.create({ ...dependencies, onRead: (...read) => void given.push(read) });
    await runTool(tool, { path: "./a.ts", start_line: 2 }, { agent: "explore" });
    await runTool(tool, { path: "missing.ts" });
    assert.deepEqual(given, [["explore", "a.ts", "2\ttwo"]]);
  });

  it("reads the files of the user's own skills, and nothing else outside the workspace", async () => {
    const { dependencies } = toolBench();
    const home = memoryWorkspace({
      files: {
        "~/.agents/skills/pdf/REFERENCE.md": "one\ntwo",
        "~/.agents/skills/pdf/.env": "KEY=1",
        "~/.ssh/id": "x",
      },
    });
    const tool = readFileTool.create({ ...dependencies, userSkills: home });
    const read = async (path: string) => (await runTool(tool, { path })).text;
    assert.equal(await read("~/.agents/skills/pdf/REFERENCE.md"), "1\tone\n2\ttwo");
    assert.match(await read("~/.agents/skills/pdf/.env"), /may hold secrets/);
    assert.match(await read("~/.agents/skills/missing.md"), /There is no file/);
    assert.match(await read("~/.agents/skills/../../.ssh/id"), /There is no file/);
    assert.match(await read("~/.ssh/id"), /does not exist/);
  });

  it("gives the lines asked for and says where to continue", async () => {
    const { call } = toolBench({ files: { "a.txt": numbered(10) } });
    const { text } = await call("read_file", { path: "a.txt", start_line: 3, end_line: 4 });
    assert.equal(text, "3\tline 3\n4\tline 4\n(6 more lines, continue at start_line=5.)");
  });

  it("stops at 2,000 lines", async () => {
    const { call } = toolBench({ files: { "a.txt": numbered(2_500) } });
    const { text } = await call("read_file", { path: "a.txt" });
    assert.match(text, /\n2000\tline 2000\n\(500 more lines, continue at start_line=2001\.\)$/);
  });

  it("stops at 50 kB, at a whole line", async () => {
    const { call } = toolBench({ files: { "a.txt": Array(100).fill("x".repeat(999)).join("\n") } });
    const { text } = await call("read_file", { path: "a.txt" });
    assert.ok(text.length < 50_200);
    assert.match(text, /\(51 more lines, continue at start_line=50\.\)$/);
  });

  it("cuts a single line that is too long and says how much is left out", async () => {
    const { call } = toolBench({ files: { "min.js": `${"x".repeat(60_000)}\nend` } });
    const { text } = await call("read_file", { path: "min.js" });
    assert.match(
      text,
      /\(Line 1 is too long: 10002 more characters are left out\.\)\n\(1 more lines, continue at start_line=2\.\)$/,
    );
  });

  it("reads the editor's unsaved text and says so", async () => {
    const { call } = toolBench({ files: { "a.txt": "disk\n" }, unsaved: { "a.txt": "typed\n" } });
    const { text } = await call("read_file", { path: "a.txt" });
    assert.equal(text, "(The editor holds unsaved changes; this text includes them.)\n1\ttyped");
  });

  it("gives an image as an image part", async () => {
    const { call } = toolBench({ files: { "logo.png": { mimeType: "image/png", data: "aGk=" } } });
    const { result } = await call("read_file", { path: "logo.png" });
    assert.deepEqual(result.content, [{ type: "image", mimeType: "image/png", data: "aGk=" }]);
  });

  it("names files of that name elsewhere and names spelled alike when the path is missing", async () => {
    const { call } = toolBench({ files: { "lib/price.ts": "", "src/prise.ts": "", "src/unrelated.ts": "" } });
    const { text, result } = await call("read_file", { path: "src/price.ts" });
    assert.equal(result.isError, true);
    assert.equal(text, "src/price.ts does not exist. Did you mean lib/price.ts, src/prise.ts?");
  });

  it("points to the search when nothing is near", async () => {
    const { call } = toolBench({ files: { "a.ts": "" } });
    const { text } = await call("read_file", { path: "zebra/elephant.rs" });
    assert.equal(text, "zebra/elephant.rs does not exist. Use find_files or list_files to find it.");
  });

  it("says that a folder is a folder", async () => {
    const { call } = toolBench({ files: { "src/a.ts": "" } });
    const { text, result } = await call("read_file", { path: "src" });
    assert.equal(result.isError, true);
    assert.equal(text, "src is a folder. Use list_files to see what is in it.");
  });

  it("says that a file is empty", async () => {
    const { call } = toolBench({ files: { "a.txt": "" } });
    assert.equal((await call("read_file", { path: "a.txt" })).text, "(a.txt is empty.)");
  });

  it("refuses a start line past the end", async () => {
    const { call } = toolBench({ files: { "a.txt": "one\n" } });
    const { text } = await call("read_file", { path: "a.txt", start_line: 5 });
    assert.equal(text, "a.txt has only 1 lines. Give a smaller start_line.");
  });

  it("refuses an end line before the start line", async () => {
    const { call } = toolBench({ files: { "a.txt": numbered(9) } });
    const { text } = await call("read_file", { path: "a.txt", start_line: 5, end_line: 4 });
    assert.equal(text, "end_line must not be before start_line.");
  });

  for (const path of ["../x", "a/../../x", "/etc/passwd", "\\\\server\\share", "a\0b"]) {
    it(`refuses ${JSON.stringify(path)}`, async () => {
      const { call } = toolBench({ files: { "a/b.txt": "" } });
      const { text, result } = await call("read_file", { path });
      assert.equal(result.isError, true);
      assert.match(text, /outside the workspace|not a path that can be used/);
    });
  }

  it("says that no folder is open", async () => {
    const { call } = toolBench({ roots: [] });
    const { text } = await call("read_file", { path: "a.ts" });
    assert.equal(text, "No folder is open. Open a folder to let the agent work with files.");
  });

  it("asks for the folder's name where several are open", async () => {
    const { call } = toolBench({ roots: ["app", "lib"], files: { "lib/a.ts": "text" } });
    assert.equal((await call("read_file", { path: "lib/a.ts" })).text, "1\ttext");
    assert.match(
      (await call("read_file", { path: "a.ts" })).text,
      /begin the path "a\.ts" with one of app\/, lib\/\.$/,
    );
  });
});
