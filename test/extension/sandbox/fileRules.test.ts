import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FileRules, outsideMounts } from "../../../src/extension/sandbox/fileRules.ts";
import { guardedRoot } from "../../../src/extension/sandbox/guardedFiles.ts";

describe("Rules of what a program in the sandbox sees", () => {
  let base: string;
  const at = (path: string) => join(base, path);
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "arbor-rules-")));
    for (const folder of ["projects/shop", "users/me", "data"]) await mkdir(at(folder), { recursive: true });
    await writeFile(at("projects/shop/.env"), "KEY=1\n");
    await symlink(at("projects"), at("also-projects"));
    await symlink(at("projects/shop"), at("shop"));
    await symlink(at("users"), at("home"));
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  const mounts = async (rules: FileRules, { workspace = "projects/shop", home = "users/me" } = {}) =>
    outsideMounts(rules, { roots: [await guardedRoot(at(workspace))], home: at(home) });

  it("show a folder with the workspace in it by its own name alone, where what is guarded in it is covered", async () => {
    const shown = await mounts({ allowWrite: [at("projects")] });
    assert.deepEqual(shown, [{ kind: "write", path: at("projects"), source: at("projects") }]);
    await assert.rejects(mounts({ allowRead: [at("also-projects")] }), /can't show .*also-projects: it holds too much/);
    const byLink = mounts({ allowRead: [at("projects")] }, { workspace: "shop" });
    await assert.rejects(byLink, /can't show .*projects: it holds too much/);
  });

  it("show no folder with the home folder in it, by whatever name", async () => {
    for (const path of ["home", "users"])
      await assert.rejects(mounts({ allowRead: [at(path)] }, { home: "home/me" }), /it holds too much/, path);
  });

  it("show no link of the workspace, by whatever name the workspace is open", async () => {
    await symlink(at("data"), at("projects/shop/link"));
    for (const path of ["projects/shop/link", "shop/link"])
      await assert.rejects(mounts({ allowRead: [at(path)] }, { workspace: "shop" }), /it holds too much/, path);
  });

  it("hide files with keys at the top of what is shown", async () => {
    await writeFile(at("data/.env"), "KEY=1\n");
    const hidden = { kind: "hiddenFile", path: at("data/.env") };
    const shown = await mounts({ allowRead: [at("data")] });
    assert.deepEqual(shown, [{ kind: "read", path: at("data"), source: at("data") }, hidden]);
  });

  it("leave no folder above what is denied that could be moved away", async () => {
    await mkdir(at("data/one/two"), { recursive: true });
    const shown = await mounts({ allowWrite: [at("data")], denyWrite: [at("data/one/two")] });
    const paths = shown.map(({ kind, path }) => [kind, path.slice(base.length)]);
    assert.deepEqual(paths, [
      ["write", "/data"],
      ["write", "/data/one"],
      ["read", "/data/one/two"],
    ]);
  });

  it("that take a folder away take what others show in it, too", async () => {
    await mkdir(at("data/inner"));
    const read = { kind: "read", path: at("data/inner"), source: at("data/inner") };
    assert.deepEqual(await mounts({ allowWrite: [at("data/inner")], denyWrite: [at("data")] }), [read]);
    const hidden = [{ kind: "hiddenFolder", path: at("data") }];
    assert.deepEqual(await mounts({ allowRead: [at("data/inner")], denyRead: [at("data")] }), hidden);
  });
});
