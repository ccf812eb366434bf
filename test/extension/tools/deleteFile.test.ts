import assert from "node:assert/strict";
import { toolBench } from "../../support/editorTools.ts";

describe("delete_file", () => {
  it("deletes a file after review", async () => {
    const { call, workspace, review } = toolBench({ files: { "a.ts": "one\ntwo\n", "b.ts": "" } });
    const { text } = await call("delete_file", { path: "a.ts" });
    assert.deepEqual(review.proposals[0]?.changes, [{ path: "a.ts", before: "one\ntwo\n" }]);
    assert.match(text, /^Deleted a\.ts: 1 change \(\+0 −2\)\./);
    assert.deepEqual([...workspace.files.keys()], ["b.ts"]);
  });

  it("leaves the file when the user rejects", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "one\n" } }, { answer: () => ({ reject: "needed" }) });
    assert.match((await call("delete_file", { path: "a.ts" })).text, /"needed"/);
    assert.equal(workspace.files.get("a.ts"), "one\n");
  });

  it("refuses what changed since the agent read it", async () => {
    const { call, workspace } = toolBench({ files: { "a.ts": "one\n" } });
    await call("read_file", { path: "a.ts" });
    workspace.files.set("a.ts", "ONE\n");
    assert.match((await call("delete_file", { path: "a.ts" })).text, /changed since you read it/);
    assert.equal(workspace.files.size, 1);
  });

  it("refuses folders, images and what is missing, and says what to do", async () => {
    const { call, review } = toolBench({ files: { "src/a.ts": "", "a.png": { mimeType: "image/png", data: "" } } });
    const refusal = async (path: string) => {
      const { text, result } = await call("delete_file", { path });
      assert.equal(result.isError, true);
      return text;
    };
    assert.match(await refusal("src"), /^src is a folder: .* Delete the files in it one by one\.$/);
    assert.match(await refusal("a.png"), /^a\.png is an image\. .*ask the user to delete it\.$/);
    assert.match(await refusal("b.ts"), /^b\.ts does not exist\./);
    assert.equal(review.proposals.length, 0);
  });
});
