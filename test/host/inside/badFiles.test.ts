import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, open, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { createReadVersions, editorTools, editTool } from "../../../src/extension/tools/index.ts";
import { vscodeWorkspace } from "../../../src/extension/workspace/vscodeWorkspace.ts";
import { scriptedReview } from "../../support/scriptedReview.ts";
import { runTool } from "../../support/toolContext.ts";

const halfGigabyte = 500 * 1024 * 1024;

describe("Tools that meet a strange file", () => {
  const workspace = vscodeWorkspace({ ripgrepPath: () => "", warn: () => {} });
  /** Runs while a proposal waits for its answer, which is yes. */
  let meanwhile: () => Promise<void> = async () => {};
  const review = scriptedReview(workspace, { whileOpen: () => meanwhile() });
  const dependencies = { workspace, review, reads: createReadVersions(), agentPath: () => ["main"] };
  const all = [...editorTools(dependencies).all, editTool(dependencies, true)];
  const tools = new Map(all.map((tool) => [tool.name, tool]));
  let root: string;
  let scratch: string;
  let outside: string;

  before(() => {
    root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail("a folder is open");
  });
  beforeEach(async () => {
    scratch = (await mkdtemp(join(root, "strange-"))).slice(root.length + 1);
    outside = await mkdtemp(join(tmpdir(), "arbor-outside-"));
    meanwhile = async () => {};
  });
  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(join(root, scratch), { recursive: true });
    await rm(outside, { recursive: true });
  });
  after(() => workspace.dispose());

  const at = (path: string) => join(root, path);
  async function file(name: string, content: string | Uint8Array): Promise<string> {
    await writeFile(at(`${scratch}/${name}`), content);
    return `${scratch}/${name}`;
  }
  const run = (name: string, args: unknown) => runTool(tools.get(name) ?? assert.fail(name), args);
  async function refusal(name: string, args: unknown): Promise<string> {
    const { result, text } = await run(name, args);
    assert.equal(result.isError, true, `${name}: ${text}`);
    return text;
  }
  const edits = [{ old_text: "one", new_text: "two" }];
  const patchOf = (path: string) => `*** Begin Patch\n*** Update File: ${path}\n@@\n-one\n+two\n*** End Patch`;

  /** What reads or changes the text of a file says the same of it, and leaves it alone. */
  async function assertRefused(path: string, reason: RegExp): Promise<void> {
    assert.match(await refusal("read_file", { path }), reason);
    assert.match(await refusal("edit_file", { path, edits }), reason);
    assert.match(await refusal("write_file", { path, content: "two" }), reason);
    assert.match(await refusal("apply_patch", { patch: patchOf(path) }), reason);
    assert.match(await refusal("delete_file", { path }), reason);
    assert.match(await refusal("go_to_definition", { path, line: 1, symbol: "one" }), reason);
  }

  it("refuse a file of 500 MB, and search past it", async () => {
    const path = await file("huge.txt", "one");
    const handle = await open(at(path), "r+");
    await handle.truncate(halfGigabyte);
    await handle.close();
    await assertRefused(path, /is too large to read \(500 MB\)\. Use search_text/);
    assert.equal((await stat(at(path))).size, halfGigabyte);
    const small = await file("small.txt", "one wallaby");
    const { text } = await run("search_text", { query: "one wallaby", include: `${scratch}/**` });
    assert.equal(text, `${small}\n  1: one wallaby`);
    const { result } = await run("move_file", { path, to: `${scratch}/moved.txt` });
    assert.equal(result.isError, undefined);
    assert.equal((await stat(at(`${scratch}/moved.txt`))).size, halfGigabyte);
  });

  it("refuse a pipe instead of waiting for it, and search past it", async () => {
    await promisify(execFile)("mkfifo", [at(`${scratch}/pipe.txt`)]);
    await assertRefused(`${scratch}/pipe.txt`, /is not a regular file/);
    const small = await file("small.txt", "one wallaby");
    const { text } = await run("search_text", { query: "one wallaby", include: `${scratch}/*.txt` });
    assert.equal(text, `${small}\n  1: one wallaby`);
  });

  it("refuse binary files, folders, missing files and bytes that are no text", async () => {
    await assertRefused(await file("a.bin", Uint8Array.of(1, 0, 2)), /is a binary file/);
    await assertRefused(
      await file("latin.txt", Buffer.from("caf\xe9 one\n", "latin1")),
      /not valid text in its encoding/,
    );
    await mkdir(at(`${scratch}/folder`));
    const path = `${scratch}/folder`;
    assert.match(await refusal("read_file", { path }), /is a folder\. Use list_files/);
    assert.match(await refusal("delete_file", { path }), /is a folder: delete_file deletes single files/);
    assert.match(
      await refusal("move_file", { path, to: `${scratch}/other` }),
      /is a folder: move_file moves single files/,
    );
    await file("present.txt", "");
    assert.match(await refusal("read_file", { path: `${scratch}/presnt.txt` }), /Did you mean .*present\.txt/);
  });

  it("24 keep UTF-16 and its mark", async () => {
    const bytes = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le");
    const path = await file("wide.txt", bytes("one\r\nthree\r\n"));
    await run("edit_file", { path, edits });
    assert.deepEqual(await readFile(at(path)), bytes("two\r\nthree\r\n"));
    await run("move_file", { path, to: `${scratch}/wider.txt` });
    assert.deepEqual(await readFile(at(`${scratch}/wider.txt`)), bytes("two\r\nthree\r\n"));
  });

  describe("that was replaced by a link after it was approved", () => {
    const secret = () => join(outside, "secret.txt");
    beforeEach(() => writeFile(secret(), "one\n"));

    for (const [name, args] of [
      ["edit_file", (path: string) => ({ path, edits })],
      ["apply_patch", (path: string) => ({ patch: patchOf(path) })],
      ["delete_file", (path: string) => ({ path })],
      ["move_file", (path: string) => ({ path, to: `${path}.moved` })],
    ] as const) {
      it(`leave what the link leads to alone: ${name}`, async () => {
        const path = await file("a.txt", "one\n");
        meanwhile = async () => {
          await rm(at(path));
          await symlink(secret(), at(path));
        };
        assert.match(await refusal(name, args(path)), /is outside the workspace/);
        assert.equal(await readFile(secret(), "utf8"), "one\n");
        assert.equal(await readlink(at(path)), secret());
      });
    }

    it("leave a folder outside alone: write_file below one that became a link", async () => {
      await mkdir(at(`${scratch}/folder`));
      meanwhile = async () => {
        await rm(at(`${scratch}/folder`), { recursive: true });
        await symlink(outside, at(`${scratch}/folder`));
      };
      const path = `${scratch}/folder/new.txt`;
      assert.match(await refusal("write_file", { path, content: "two" }), /is outside the workspace/);
      await assert.rejects(stat(join(outside, "new.txt")), /ENOENT/);
    });
  });

  for (const [name, args] of [
    ["edit_file", (path: string) => ({ path, edits })],
    ["apply_patch", (path: string) => ({ patch: patchOf(path) })],
    ["delete_file", (path: string) => ({ path })],
    ["move_file", (path: string) => ({ path, to: `${path}.moved` })],
  ] as const) {
    it(`bring no file back that was deleted after it was approved: ${name}`, async () => {
      const path = await file("a.txt", "one\n");
      meanwhile = () => rm(at(path));
      await refusal(name, args(path));
      assert.deepEqual(await readdir(at(scratch)), []);
    });
  }

  it("move onto nothing that came to be there after it was approved", async () => {
    const path = await file("a.txt", "one\n");
    meanwhile = () => writeFile(at(`${scratch}/b.txt`), "mine\n");
    assert.match(await refusal("move_file", { path, to: `${scratch}/b.txt` }), /b\.txt already exists/);
    assert.equal(await readFile(at(`${scratch}/b.txt`), "utf8"), "mine\n");
    assert.equal(await readFile(at(path), "utf8"), "one\n");
  });

  it("say what is wrong with a regex that does not compile or would grow too large", async () => {
    assert.match(await refusal("search_text", { query: "one(", regex: true }), /is invalid at character 4/);
    assert.match(await refusal("search_text", { query: "(a{1000}){1000}{100}", regex: true }), /is too large/);
    assert.match(
      (await run("search_text", { query: "(x+x+)+y", regex: true, include: scratch })).text,
      /^Nothing matches/,
    );
  });
});
