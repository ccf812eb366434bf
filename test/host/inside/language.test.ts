import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { createReadVersions, editorTools } from "../../../src/extension/tools/index.ts";
import { vscodeWorkspace } from "../../../src/extension/workspace/vscodeWorkspace.ts";
import { scriptedReview } from "../../support/scriptedReview.ts";
import { runTool } from "../../support/toolContext.ts";
import { eventually } from "../eventually.ts";

/** Sets a setting of the open workspace while something runs. */
async function withSetting(section: string, name: string, value: unknown, work: () => Promise<void>): Promise<void> {
  const settings = vscode.workspace.getConfiguration(section);
  await settings.update(name, value, vscode.ConfigurationTarget.Workspace);
  try {
    await work();
  } finally {
    await settings.update(name, undefined, vscode.ConfigurationTarget.Workspace);
  }
}

describe("Tools that ask language servers", () => {
  const workspace = vscodeWorkspace({ ripgrepPath: () => "", warn: () => {} });
  const review = scriptedReview(workspace);
  const dependencies = { workspace, review, reads: createReadVersions(), agentPath: () => ["main"] };
  const tools = new Map(editorTools(dependencies).all.map((tool) => [tool.name, tool]));
  let root: string;
  let kept: string;

  before(async () => {
    root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail("a folder is open");
    kept = await mkdtemp(join(tmpdir(), "arbor-kept-"));
    await cp(root, kept, { recursive: true });
    // What is asked first waits for the server to load the project.
    await vscode.window.showTextDocument(vscode.Uri.file(join(root, "src/orders/receipt.ts")));
  });
  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(join(root, "src"), { recursive: true });
    await cp(join(kept, "src"), join(root, "src"), { recursive: true });
  });
  after(async () => {
    workspace.dispose();
    await rm(kept, { recursive: true });
  });

  async function call(name: string, args: unknown): Promise<string> {
    const { result, text } = await runTool(tools.get(name) ?? assert.fail(name), args);
    assert.equal(result.isError, undefined, text);
    return text;
  }
  const onDisk = (path: string) => readFile(join(root, path), "utf8");
  const original = (path: string) => readFile(join(kept, path), "utf8");
  const users = [
    "src/index.ts",
    "src/orders/receipt.ts",
    "src/orders/export.ts",
    "src/cart/summary.ts",
    "src/catalogue/search.ts",
  ];
  const formatPrice = { path: "src/orders/receipt.ts", line: 3, symbol: "formatPrice" };

  it("give the outline of a file and symbols of the workspace", async () => {
    assert.match(await call("find_symbols", { query: "", path: "src/format/money.ts" }), /^2: function formatPrice/m);
    assert.match(
      await call("find_symbols", { query: "formatPri" }),
      /^src\/format\/money\.ts:2: function formatPrice/m,
    );
  });

  it("go to the definition in another file", async () => {
    assert.match(
      await call("go_to_definition", formatPrice),
      /^src\/format\/money\.ts\n {2}2: export function formatPrice\(cents: number\): string \{$/,
    );
  });

  it("find the references in all files, and no others", async () => {
    const text = await call("find_references", formatPrice);
    for (const path of [...users, "src/format/money.ts"]) assert.ok(text.includes(`\n${path}\n`), `${path} in ${text}`);
    assert.doesNotMatch(text, /No language server/);
  });

  it("search by text where no server knows the language, and say so", async () => {
    await writeFile(join(root, "src/notes.txt"), "formatPrice is for prices\n");
    const text = await call("find_references", { path: "src/notes.txt", line: 1, symbol: "formatPrice" });
    assert.match(text, /^No language server knows the references/);
    assert.match(text, /src\/notes\.txt\n {2}1: formatPrice is for prices/);
  });

  it("rename a symbol in all files as one proposal", async () => {
    const definition = { path: "src/format/money.ts", line: 2, symbol: "formatPrice" };
    // Where the user has it so, imports keep the old name as an alias.
    await withSetting("typescript", "preferences.useAliasesForRenames", false, async () => {
      const text = await call("rename_symbol", { ...definition, new_name: "formatCents" });
      const proposal = review.proposals.at(-1);
      assert.deepEqual(proposal?.changes.map(({ path }) => path).sort(), [...users, "src/format/money.ts"].sort());
      for (const path of [...users, "src/format/money.ts"]) {
        assert.equal(await onDisk(path), (await original(path)).replaceAll(/\bformatPrice\b/g, "formatCents"), path);
      }
      assert.doesNotMatch(text, /New problems/);
    });
  });

  it("refuse to rename what can't be renamed", async () => {
    const tool = tools.get("rename_symbol") ?? assert.fail();
    const keyword = { path: "src/format/money.ts", line: 2, symbol: "string", new_name: "x" };
    const { result, text } = await runTool(tool, keyword);
    assert.equal(result.isError, true);
    assert.match(text, /^The language server can't rename this: |^No language server can rename string/);
  });

  it("move a file, and imports follow", async () => {
    const text = await call("move_file", { path: "src/format/money.ts", to: "src/money/price.ts" });
    for (const path of users) {
      const expected = (await original(path)).replace("/format/money.ts", "/money/price.ts");
      assert.equal(await onDisk(path), expected, path);
      assert.ok(text.includes(path), `${path} in ${text}`);
    }
    assert.equal(await onDisk("src/money/price.ts"), await original("src/format/money.ts"));
    await assert.rejects(onDisk("src/format/money.ts"), /ENOENT/);
    assert.match(text, /^Moved src\/format\/money\.ts to src\/money\/price\.ts\. Imports are updated in /);
    assert.doesNotMatch(text, /New problems/);
  });

  it("move a file with unsaved text, which is there afterwards and still unsaved", async () => {
    const before = vscode.Uri.file(join(root, "src/format/dates.ts"));
    const editor = await vscode.window.showTextDocument(before);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "// typed\n"));
    await call("move_file", { path: "src/format/dates.ts", to: "src/dates.ts" });
    await assert.rejects(onDisk("src/format/dates.ts"), /ENOENT/);
    const moved = vscode.workspace.textDocuments.find(({ uri }) => uri.fsPath === join(root, "src/dates.ts"));
    assert.match(moved?.getText() ?? "", /^\/\/ typed\n/);
    assert.equal(moved?.isDirty, true);
    const tabs = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs).map((tab) => tab.label);
    await eventually(async () => assert.deepEqual(tabs(), ["dates.ts"]));
    await moved?.save();
  });

  it("move a file whose move an undo in its editor reverts", async () => {
    await writeFile(join(root, "src/plain.txt"), "plain\n");
    await call("move_file", { path: "src/plain.txt", to: "src/moved.txt" });
    await vscode.window.showTextDocument(vscode.Uri.file(join(root, "src/moved.txt")));
    await vscode.commands.executeCommand("undo");
    await eventually(async () => assert.equal(await onDisk("src/plain.txt"), "plain\n"));
  });

  it("delete a file, which closes its tab", async () => {
    await vscode.window.showTextDocument(vscode.Uri.file(join(root, "src/format/dates.ts")));
    assert.match(await call("delete_file", { path: "src/format/dates.ts" }), /^Deleted src\/format\/dates\.ts/);
    await assert.rejects(onDisk("src/format/dates.ts"), /ENOENT/);
    const tabs = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs).map((tab) => tab.label);
    await eventually(async () => assert.deepEqual(tabs(), []));
  });
});
