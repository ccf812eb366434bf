import assert from "node:assert/strict";
import { toolBench } from "../../support/editorTools.ts";

const cart = 'import { price } from "./price";\n';
const files = { "src/price.ts": "export const price = 1;\n", "src/cart.ts": cart };

describe("move_file", () => {
  it("moves a script after review, with the imports of it and its own, and names the files that followed", async () => {
    const price = 'import { tax } from "./tax.js";\nexport const price = tax;\n';
    const { call, workspace, review } = toolBench({ files: { ...files, "src/price.ts": price, "src/tax.ts": "" } });
    const { text, result } = await call("move_file", { path: "src/price.ts", to: "./src/pricing/price.ts" });
    const after = { price: price.replace("./tax.js", "../tax.js"), cart: 'import { price } from "./pricing/price";\n' };
    assert.deepEqual(review.proposals[0]?.changes, [
      { path: "src/price.ts", movedTo: "src/pricing/price.ts" },
      { path: "src/pricing/price.ts", before: price, after: after.price, follows: "src/price.ts" },
      { path: "src/cart.ts", before: cart, after: after.cart, follows: "src/price.ts" },
    ]);
    assert.match(
      text,
      /^Moved src\/price\.ts to src\/pricing\/price\.ts\. Imports are updated in src\/pricing\/price\.ts, src\/cart\.ts\.\n/,
    );
    assert.deepEqual(
      [
        workspace.files.get("src/pricing/price.ts"),
        workspace.files.get("src/cart.ts"),
        workspace.files.has("src/price.ts"),
      ],
      [after.price, after.cart, false],
    );
    assert.equal(result.isError, undefined);
  });

  it("moves another file with what the editor makes of it, and names the files that followed", async () => {
    const onMove = () => ({ "index.md": "[b](lib/b.md)\n" });
    const { call } = toolBench({ files: { "a.md": "", "index.md": "[b](a.md)\n" }, onMove });
    assert.equal(
      (await call("move_file", { path: "a.md", to: "lib/b.md" })).text,
      "Moved a.md to lib/b.md. The editor followed the move in index.md: read them again before you edit them.",
    );
  });

  it("follows an alias where the language server says that it means the file, and no other", async () => {
    const user = 'import { one } from "@/one";\nimport "other/one";\n';
    const { call, workspace } = toolBench({ files: { "src/one.ts": "", "src/two.ts": user } });
    workspace.definition = async (_path, at) => {
      const path = at.line === 1 ? "src/one.ts" : "node_modules/other/one.ts";
      return [{ path, line: 1, column: 1, isOutside: false }];
    };
    await call("move_file", { path: "src/one.ts", to: "src/lib/one.ts" });
    assert.equal(workspace.files.get("src/two.ts"), user.replace("@/one", "@/lib/one"));
  });

  it("says when nothing followed", async () => {
    const { call } = toolBench({ files: { "src/price.ts": "" } });
    const { text } = await call("move_file", { path: "src/price.ts", to: "src/cost.ts" });
    assert.match(text, /No other file followed: if some refer to the old path, change them\.$/);
  });

  it("moves nothing when the user rejects, and reports the words", async () => {
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
    const { call } = toolBench({ files });
    await call("read_file", { path: "src/cart.ts" }, { agent: "reader" });
    await call("move_file", { path: "src/price.ts", to: "src/cost.ts" }, { agent: "mover" });
    const edits = [{ old_text: "price", new_text: "cost" }];
    const { text } = await call("edit_file", { path: "src/cart.ts", edits }, { agent: "reader" });
    assert.match(text, /^src\/cart\.ts changed since you read it by main › mover\. /);
  });

  it("28 proposes an overwrite and a deletion where something is already", async () => {
    const { call, workspace, review } = toolBench({ files });
    const { text } = await call("move_file", { path: "src/price.ts", to: "src/cart.ts" });
    assert.deepEqual(review.proposals[0]?.changes, [
      { path: "src/cart.ts", before: cart, after: files["src/price.ts"] },
      { path: "src/price.ts", before: files["src/price.ts"] },
    ]);
    assert.equal(review.proposals[0]?.mustAsk, "overwrites", "in every mode");
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
