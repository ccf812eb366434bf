import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { locate } from "../../../src/extension/workspace/paths.ts";
import { refuseLinksOutside } from "../../../src/extension/workspace/realPaths.ts";

describe("Links of a workspace", () => {
  let scratch: string;
  let root: { name: string; path: string };
  const judge = (path: string) => refuseLinksOutside(locate(path, [root], "linux"));

  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), "arbor-links-"));
    root = { name: "ws", path: join(scratch, "ws") };
    await mkdir(join(scratch, "ws/inner"), { recursive: true });
    await mkdir(join(scratch, "ws2"));
    await writeFile(join(scratch, "ws2/secret"), "");
    await writeFile(join(scratch, "ws/a.txt"), "");
    await symlink(join(scratch, "ws2"), join(root.path, "out"));
    await symlink(join(scratch, "ws2/secret"), join(root.path, "secret"));
    await symlink(join(scratch, "ws2/new"), join(root.path, "dangling"));
    await symlink(join(root.path, "loop"), join(root.path, "loop"));
    await symlink(join(root.path, "inner"), join(root.path, "inside"));
    await symlink(root.path, join(scratch, "linked"));
  });
  after(() => rm(scratch, { recursive: true }));

  for (const path of [
    "secret",
    "out/secret",
    "out/new",
    "out/a/b/new",
    "dangling",
    "loop",
    "out/../a.txt",
    "inside/../a.txt",
  ]) {
    it(`refuses ${path}`, () => assert.rejects(judge(path), /outside the workspace/));
  }

  for (const path of ["a.txt", "inside/new", "new/a/b.txt", "inner/../a.txt", ""]) {
    it(`allows ${JSON.stringify(path)}`, () => judge(path));
  }

  it("does not reveal where a link leads", async () => {
    await assert.rejects(judge("loop"), (error: Error) => !error.message.includes(scratch));
  });

  it("allows a workspace that was itself opened through a link", async () => {
    await refuseLinksOutside(locate("a.txt", [{ name: "ws", path: join(scratch, "linked") }], "linux"));
  });
});
