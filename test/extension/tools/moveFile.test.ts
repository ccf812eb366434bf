import assert from "node:assert/strict";
import { toolBench } from "../../support/editorTools.ts";

const cart = 'import { price } from "./price";\n';
const files = { "src/price.ts": "export const price = 1;\n", "src/cart.ts": cart };

describe("move_file", () => {
  it("moves a file after review and tells which files followed", async () => {
    const onMove = () => ({ "src/cart.ts": 'import { price } from "./pricing/price";\n' });
    const { call, workspace, review } = toolBench({ files, onMove });
    const { text, result } = await call("move_file", { path: "src/price.ts", to: "./src/pricing/price.ts" });
    assert.deepEqual(review.proposals[0]?.changes, [{ path: "src/price.ts", movedTo: "src/pricing/price.ts" }]);
    assert.equal(
      text,
      "Moved src/price.ts to src/pricing/price.ts. The editor followed the move in src/cart.ts: read them again before you edit them.",
    );
    assert.deepEqual([...workspace.files.keys()].sort(), ["src/cart.ts", "src/pricing/price.ts"]);
    assert.equal(result.isError, undefined);
  });

  it("says when nothing followed", async () => {
    const { call } = toolBench({ files });
    const { text } = await call("move_file", { path: "src/price.ts", to: "src/cost.ts" });
    assert.match(text, /No other file followed: if some refer to the old path, change them\.$/);
  });

  it("moves nothing when the user rejects, and tells the words", async () => {
    const { call, workspace } = toolBench({ files }, { answer: () => ({ reject: "stay" }) });
    const { text } = await call("move_file", { path: "src/price.ts", to: "src/cost.ts" });
    assert.match(text, /^The user rejected the move of src\/price\.ts/);
    assert.deepEqual([...workspace.files.keys()], Object.keys(files));
  });

  it("moves an image", async () => {
    const image = { mimeType: "image/png", data: "AA==" };
    const { call, workspace } = toolBench({ files: { "a.png": image } });
    await call("move_file", { path: "a.png", to: "media/b.png" });
    assert.deepEqual([...workspace.files], [["media/b.png", image]]);
  });

  it("lets the agent go on with what it had read", async () => {
    const { call, workspace } = toolBench({ files });
    await call("read_file", { path: "src/price.ts" });
    await call("move_file", { path: "src/price.ts", to: "src/cost.ts" });
    await call("write_file", { path: "src/cost.ts", content: "export const cost = 1;\n" });
    assert.equal(workspace.files.get("src/cost.ts"), "export const cost = 1;\n");
  });

  it("names the mover to an agent that had read a file which followed", async () => {
    const onMove = () => ({ "src/cart.ts": 'import { price } from "./cost";\n' });
    const { call } = toolBench({ files, onMove });
    await call("read_file", { path: "src/cart.ts" }, { agent: "reader" });
    await call("move_file", { path: "src/price.ts", to: "src/cost.ts" }, { agent: "mover" });
    const edits = [{ old_text: "price", new_text: "cost" }];
    const { text } = await call("edit_file", { path: "src/cart.ts", edits }, { agent: "reader" });
    assert.match(text, /^src\/cart\.ts changed since you read it by main › mover\. /);
  });

  it("proposes an overwrite and a deletion where something is already", async () => {
    const { call, workspace, review } = toolBench({ files });
    const { text } = await call("move_file", { path: "src/price.ts", to: "src/cart.ts" });
    assert.deepEqual(review.proposals[0]?.changes, [
      { path: "src/cart.ts", before: cart, after: files["src/price.ts"] },
      { path: "src/price.ts", before: files["src/price.ts"] },
    ]);
    assert.match(text, /src\/cart\.ts exists, so this was proposed as an overwrite and a deletion/);
    assert.deepEqual([...workspace.files], [["src/cart.ts", files["src/price.ts"]]]);
  });

  it("refuses folders, what is missing, and what moves nowhere", async () => {
    const { call, review } = toolBench({ files });
    const refusal = async (path: string, to: string) => {
      const { text, result } = await call("move_file", { path, to });
      assert.equal(result.isError, true);
      return text;
    };
    assert.match(await refusal("src", "lib"), /^src is a folder: move_file moves single files/);
    assert.match(
      await refusal("src/price.ts", "src"),
      /^src is a folder\. Give the whole path, like src\/price\.ts\.$/,
    );
    assert.match(await refusal("src/prise.ts", "a.ts"), /does not exist\. Did you mean src\/price\.ts/);
    assert.match(await refusal("src/price.ts", "src/../src/price.ts"), /nothing to move/);
    assert.match(await refusal("src/price.ts", "../a.ts"), /outside the workspace/);
    assert.equal(review.proposals.length, 0);
  });
});
