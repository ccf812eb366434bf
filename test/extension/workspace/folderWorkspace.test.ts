import assert from "node:assert/strict";
import files, { mkdtemp, readFile, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UserError } from "../../../src/extension/common/userError.ts";
import { folderWorkspace } from "../../../src/extension/workspace/folderWorkspace.ts";
import { createRepository, type Repository } from "../../evals/harness/repository.ts";

const { signal } = new AbortController();
type FolderWorkspace = ReturnType<typeof folderWorkspace>;

describe("a folder as a workspace", () => {
  let repository: Repository;
  beforeEach(async () => {
    const files = { ".gitignore": "out/\n", "src/a.js": "one\ntwo\n", "out/b.js": "two\n", "c.bin": "\0" };
    repository = await createRepository(files, { name: "project" });
  });
  afterEach(() => repository.remove());
  const open = () => folderWorkspace(repository.folder, "project");

  it("reads and searches what .gitignore does not name", async () => {
    const workspace = open();
    const { entries } = await workspace.list("", { depth: 2, limit: 10 }, signal);
    assert.deepEqual(
      entries.map(({ path }) => path),
      ["src", "src/a.js", ".gitignore", "c.bin"],
    );
    const search = { query: "two", regex: false, caseSensitive: true, contextLines: 0, limit: 10 };
    const found: unknown[] = [];
    for await (const match of workspace.searchText(search, signal)) found.push(match);
    assert.deepEqual(found, [{ path: "src/a.js", line: 2, text: "two", isMatch: true }]);
    assert.deepEqual((await workspace.findFiles("*.js", 10, signal)).paths, ["src/a.js"]);
    assert.deepEqual((await workspace.stat("src"))?.kind, "directory");
    assert.equal(await workspace.stat("none"), undefined);
  });

  it("writes only over the text that was read, and never over another file", async () => {
    const workspace = open();
    const content = await workspace.read("./src/a.js", signal);
    assert.ok(content.kind === "text");
    const change = [{ start: 0, end: 3, text: "ONE" }];
    assert.deepEqual(await workspace.replace("src/a.js", change, content.version), { text: "ONE\ntwo\n", saved: true });
    await assert.rejects(workspace.replace("src/a.js", change, content.version), /changed meanwhile/);
    await assert.rejects(workspace.create("src/a.js", ""), /already exists/);
    await assert.rejects(workspace.move("out/b.js", "src/a.js"), /already exists/);
    await workspace.create("new/d.js", "d\n");
    await workspace.move("new/d.js", "e.js");
    await workspace.remove("out/b.js");
    assert.deepEqual(await repository.changed(), ["e.js", "out/b.js", "src/a.js"]);
  });

  it("writes no NUL character that would make a text a binary file, and says what to write instead", async () => {
    const workspace = open();
    const isRefused = (error: unknown) =>
      error instanceof UserError && /NUL character.*like \\0, with its backslash doubled/.test(error.forModel);
    await assert.rejects(workspace.replace("src/a.js", [{ start: 0, end: 3, text: "a\0b" }]), isRefused);
    assert.equal(await readFile(join(repository.folder, "src/a.js"), "utf8"), "one\ntwo\n");
    await assert.rejects(workspace.create("new.js", "a\0b"), isRefused);
    assert.equal(await workspace.stat("new.js"), undefined);

    const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le");
    await writeFile(join(repository.folder, "d.txt"), utf16("eins\n"));
    await workspace.replace("d.txt", [{ start: 0, end: 4, text: "zwei" }]);
    assert.deepEqual(await readFile(join(repository.folder, "d.txt")), utf16("zwei\n"));
  });

  it("18 goes by the text of a file, whatever its time says", async () => {
    const workspace = open();
    const file = join(repository.folder, "src/a.js");
    const change = [{ start: 0, end: 3, text: "ONE" }];
    const content = await workspace.read("src/a.js", signal);
    assert.ok(content.kind === "text");
    const { atime, mtime } = await files.stat(file);
    await writeFile(file, "uno\ntwo\n");
    await utimes(file, atime, mtime);
    await assert.rejects(workspace.replace("src/a.js", change, content.version), /changed meanwhile/);
    await writeFile(file, "one\ntwo\n");
    await utimes(file, atime, new Date(mtime.getTime() + 60_000));
    await workspace.replace("src/a.js", change, content.version);
    assert.equal(await readFile(file, "utf8"), "ONE\ntwo\n");
  });

  // The last look that is taken before the file is touched.
  for (const [does, call, act] of [
    [
      "removes",
      { name: "stat", file: "src/a.js", count: 3 },
      (workspace: FolderWorkspace) => workspace.remove("src/a.js"),
    ],
    [
      "moves",
      { name: "lstat", file: "b.js", count: 2 },
      (workspace: FolderWorkspace) => workspace.move("src/a.js", "b.js"),
    ],
  ] as const) {
    it(`${does} no file of another folder that a link leads to meanwhile`, async () => {
      const outside = await mkdtemp(join(tmpdir(), "arbor-outside-"));
      const look = files[call.name];
      try {
        await writeFile(join(outside, "a.js"), "the user's\n");
        let calls = 0;
        const swapping = async (path: string) => {
          const isMeant = path === join(repository.folder, call.file);
          if (isMeant && ++calls === call.count) {
            await rename(join(repository.folder, "src"), join(repository.folder, "old"));
            await symlink(outside, join(repository.folder, "src"));
          }
          return look(path);
        };
        Object.assign(files, { [call.name]: swapping });
        syncBuiltinESMExports();
        await assert.rejects(act(open()));
        assert.equal(calls, call.count);
        assert.equal(await readFile(join(outside, "a.js"), "utf8"), "the user's\n");
      } finally {
        Object.assign(files, { [call.name]: look });
        syncBuiltinESMExports();
        await rm(outside, { recursive: true });
      }
    });
  }

  it("3 4 25 refuses what is outside, what is no text, and what is not there", async () => {
    const workspace = open();
    await symlink(repository.storage, join(repository.folder, "link"));
    await assert.rejects(workspace.read("../x", signal), /outside the workspace/);
    await assert.rejects(workspace.create("/etc/new", "x"), /outside the workspace/);
    await assert.rejects(workspace.read("link/x", signal), /outside the workspace/);
    await assert.rejects(workspace.read("c.bin", signal), /no text/);
    await assert.rejects(workspace.read("src", signal), /is a folder/);
    await assert.rejects(workspace.read("none", signal), /does not exist/);
    await assert.rejects(workspace.list("src/a.js", { depth: 1, limit: 1 }, signal), /not a folder/);
  });
});
