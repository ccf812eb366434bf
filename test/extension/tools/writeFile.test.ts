import assert from "node:assert/strict";
import { toolBench } from "../../support/editorTools.ts";

describe("write_file", () => {
  it("creates a file with the folders it needs", async () => {
    const { call, workspace, review } = toolBench({ files: {} });
    const { text } = await call("write_file", { path: "src/new/a.ts", content: "one\ntwo\n" });
    assert.equal(workspace.files.get("src/new/a.ts"), "one\ntwo\n");
    assert.equal(text, "Created src/new/a.ts: 1 change (+2 −0).");
    assert.deepEqual(review.proposals[0]?.changes, [{ path: "src/new/a.ts", after: "one\ntwo\n" }]);
  });

  it("creates nothing when the user rejects", async () => {
    const { call, workspace } = toolBench({}, { answer: () => ({ reject: "not here" }) });
    const { text } = await call("write_file", { path: "a.ts", content: "one\n" });
    assert.match(text, /^The user rejected the edit of a\.ts: nothing was written\.\n.*"not here"/);
    assert.equal(workspace.files.size, 0);
  });

  it("refuses to overwrite what the agent has not read", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "one\n" } });
    const { text, result } = await call("write_file", { path: "a.ts", content: "two\n" });
    assert.equal(result.isError, true);
    assert.match(text, /^a\.ts already exists\. Read it before you overwrite it/);
    assert.equal(workspace.files.get("a.ts"), "one\n");
  });

  it("knows nothing any more of what an agent read that has ended", async () => {
    const { call, dependencies } = toolBench({ files: { "a.ts": "one\n" } });
    await call("read_file", { path: "a.ts" }, { agent: "edit" });
    dependencies.reads.forget("edit");
    const { text } = await call("write_file", { path: "a.ts", content: "two\n" }, { agent: "edit" });
    assert.match(text, /^a\.ts already exists\. Read it before you overwrite it/);
  });

  it("refuses what changed since it was read", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "one\n" } });
    await call("read_file", { path: "a.ts" });
    workspace.files.set("a.ts", "ONE\n");
    assert.match((await call("write_file", { path: "a.ts", content: "x" })).text, /changed since you read it/);
  });

  it("overwrites what was read, keeping the line ends of lines that stay", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "one\r\ntwo\nthree\r\n" } });
    await call("read_file", { path: "a.ts" });
    await call("write_file", { path: "a.ts", content: "one\ntwo\n2.5\nthree\n" });
    assert.equal(workspace.files.get("a.ts"), "one\r\ntwo\n2.5\r\nthree\r\n");
  });

  it("counts a write as read, so that the agent may go on", async () => {
    const { call, workspace } = toolBench({});
    await call("write_file", { path: "a.ts", content: "one\n" });
    await call("write_file", { path: "a.ts", content: "two\n" });
    assert.equal(workspace.files.get("a.ts"), "two\n");
  });

  it("29 refuses placeholders for code left out, in new files too", async () => {
    const { call } = toolBench({ files: { "a.ts": "one\ntwo\n" } });
    await call("read_file", { path: "a.ts" });
    const content = "one\n// ... rest of the code unchanged\n";
    assert.match((await call("write_file", { path: "a.ts", content })).text, /stands for code left out/);
    assert.match((await call("write_file", { path: "b.ts", content })).text, /stands for code left out/);
  });

  it("refuses code in a fence of Markdown, but for a document", async () => {
    const { call, workspace } = toolBench({});
    const content = "```ts\nexport const one = 1;\n```\n";
    assert.match((await call("write_file", { path: "a.ts", content })).text, /^content is in a Markdown code fence/);
    assert.equal(workspace.files.get("a.ts"), undefined);
    for (const path of ["a.md", "NOTES"]) {
      await call("write_file", { path, content });
      assert.equal(workspace.files.get(path), content);
    }
  });

  it("says that there is nothing to write when the content is the same", async () => {
    const { call, review } = toolBench({ files: { "a.ts": "one\r\n" } });
    await call("read_file", { path: "a.ts" });
    const { text } = await call("write_file", { path: "a.ts", content: "one\n" });
    assert.equal(text, "a.ts already has this content: nothing to write.");
    assert.equal(review.proposals.length, 0);
  });

  it("refuses a folder and a path outside", async () => {
    const { call } = toolBench({ files: { "src/a.ts": "" } });
    assert.match((await call("write_file", { path: "src", content: "x" })).text, /is a folder/);
    assert.match((await call("write_file", { path: "../x", content: "x" })).text, /outside the workspace/);
  });
});
