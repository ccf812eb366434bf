import assert from "node:assert/strict";
import { identifyWorkspace, type OpenUri } from "../../../src/extension/storage/workspaceKey.ts";

const folder = (path: string): OpenUri => ({ scheme: "file", fsPath: path, toString: () => `file://${path}` });
const remote = (text: string): OpenUri => ({ scheme: text.split(":")[0] ?? "", fsPath: "/x", toString: () => text });
/** A disk on which case does not count, with one link. */
const realPath = (path: string) => {
  if (path === "/gone") throw Object.assign(new Error("ENOENT"), { code: "ENOENT" });
  return path === "/link" ? "/shop" : path.toLowerCase();
};
const keyOf = (folders: OpenUri[], file?: OpenUri) =>
  identifyWorkspace({ folders, ...(file !== undefined && { file }) }, realPath).key;

describe("the key of a workspace", () => {
  it("is the same for the same folders, however they are reached and in whatever order", () => {
    const [shop, docs] = [folder("/shop"), folder("/docs")];
    assert.equal(keyOf([folder("/link")]), keyOf([shop]));
    assert.equal(keyOf([folder("/SHOP")]), keyOf([shop]));
    assert.equal(keyOf([docs, shop]), keyOf([shop, docs]));
    assert.equal(keyOf([shop, shop]), keyOf([shop]));
    assert.match(keyOf([shop]), /^[0-9a-f]{32}$/);
  });

  it("differs for other folders, other places and no folder", () => {
    const keys = [
      keyOf([]),
      keyOf([folder("/shop")]),
      keyOf([folder("/gone")]),
      keyOf([folder("/shop"), folder("/docs")]),
      keyOf([folder("/shop,/docs")]),
      keyOf([remote("vscode-vfs://github/a/shop")]),
      keyOf([remote("vscode-vfs://github/b/shop")]),
      keyOf([folder("/shop")], folder("/shop.code-workspace")),
    ];
    assert.equal(new Set(keys).size, keys.length);
  });

  it("is that of a saved workspace file whatever its folders, and that of the folders while it is not saved", () => {
    const file = folder("/all.code-workspace");
    assert.equal(keyOf([folder("/shop")], file), keyOf([folder("/shop"), folder("/docs")], file));
    assert.equal(keyOf([folder("/shop")], remote("untitled:17")), keyOf([folder("/shop")]));
  });

  it("says what it was made of", () => {
    const { description } = identifyWorkspace({ folders: [folder("/link"), folder("/gone")] }, realPath);
    assert.deepEqual(description, { folders: ["/gone", "/shop"] });
  });
});
