import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { vscodeWorkspace } from "../../../src/extension/workspace/vscodeWorkspace.ts";

const signal = new AbortController().signal;
const search = { query: "wombat", regex: false, caseSensitive: true, contextLines: 0, limit: 10 };

/** Changes the open folders and waits until the editor has done so. */
async function changeFolders(count: number, ...folders: { uri: vscode.Uri; name: string }[]): Promise<void> {
  const changed = new Promise<void>((resolve) => {
    const listener = vscode.workspace.onDidChangeWorkspaceFolders(() => {
      listener.dispose();
      resolve();
    });
  });
  assert.ok(vscode.workspace.updateWorkspaceFolders(1, count, ...folders));
  await changed;
}

describe("A workspace of several folders", () => {
  const workspace = vscodeWorkspace({ ripgrepPath: () => "", warn: () => {} });
  let first: string;
  let firstName: string;
  let second: string;

  before(async () => {
    const folder = vscode.workspace.workspaceFolders?.[0] ?? assert.fail("a folder is open");
    first = folder.uri.fsPath;
    firstName = folder.name;
    second = await mkdtemp(join(tmpdir(), "arbor-second-"));
    await mkdir(join(second, "src"));
    await writeFile(join(second, "src/b.txt"), "a wombat\n");
    await writeFile(join(first, "wombat.txt"), "one wombat\n");
    await changeFolders(0, { uri: vscode.Uri.file(second), name: "second" });
  });
  after(async () => {
    await changeFolders(1);
    await rm(join(first, "wombat.txt"));
    await rm(second, { recursive: true });
    workspace.dispose();
  });

  it("begins every path with the folder's name", async () => {
    assert.deepEqual(workspace.roots(), [firstName, "second"]);
    assert.equal(workspace.canonicalPath(join(second, "src/b.txt")), "second/src/b.txt");
    const content = await workspace.read("second/src/b.txt", signal);
    assert.equal(content.kind === "text" && content.text, "a wombat\n");
    await assert.rejects(workspace.read("src/b.txt", signal), /begin the path "src\/b\.txt" with one of/);
  });

  it("searches and finds in all folders, or in the one that a glob names", async () => {
    const found = async (include?: string) => {
      const paths: string[] = [];
      const matches = workspace.searchText({ ...search, ...(include === undefined ? {} : { include }) }, signal);
      for await (const { path } of matches) paths.push(path);
      return paths.sort();
    };
    assert.deepEqual(await found(), ["second/src/b.txt", `${firstName}/wombat.txt`].sort());
    assert.deepEqual(await found("second/**"), ["second/src/b.txt"]);
    assert.deepEqual((await workspace.findFiles("second/src/*.txt", 9, signal)).paths, ["second/src/b.txt"]);
    assert.deepEqual((await workspace.findFiles("{b,wombat}.txt", 9, signal)).paths.length, 2);
  });

  it("lists the folders at its top", async () => {
    const { entries } = await workspace.list("", { depth: 1, limit: 9 }, signal);
    assert.deepEqual(
      entries.map(({ path }) => path),
      [firstName, "second"],
    );
    const below = await workspace.list("second", { depth: 2, limit: 9 }, signal);
    assert.deepEqual(
      below.entries.map(({ path }) => path),
      ["second/src", "second/src/b.txt"],
    );
  });

  it("writes, creates and removes in the folder that the path names", async () => {
    await workspace.replace("second/src/b.txt", [{ start: 0, end: 1, text: "the" }]);
    assert.equal(await readFile(join(second, "src/b.txt"), "utf8"), "the wombat\n");
    await workspace.create("second/new/c.txt", "new\n");
    assert.equal(await readFile(join(second, "new/c.txt"), "utf8"), "new\n");
    await workspace.remove("second/new/c.txt");
    assert.equal(await workspace.stat("second/new/c.txt"), undefined);
  });

  it("moves from one folder to another", async () => {
    await workspace.create("second/new/d.txt", "to be moved\n");
    assert.deepEqual(await workspace.move("second/new/d.txt", `${firstName}/moved/d.txt`), []);
    assert.equal(await readFile(join(first, "moved/d.txt"), "utf8"), "to be moved\n");
    assert.equal(await workspace.stat("second/new/d.txt"), undefined);
    await rm(join(first, "moved"), { recursive: true });
  });
});
