import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { link, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import {
  createInside,
  existingInside,
  holdFolder,
  readInside,
} from "../../../../src/extension/workspace/documents/heldFiles.ts";
import { replaceBytes } from "../../../../src/extension/workspace/documents/replaceBytes.ts";
import { canExchange, exchangeCommand, moveCommand, swapping } from "../../../support/swapping.ts";

const most = 1_000;

describe("Files that have to be in their folder when they are used", function () {
  this.timeout(60_000);
  let scratch: string;
  let root: string;
  let outside: string;
  const inRoot = (path: string) => ({ root, path: join(root, path) });
  beforeEach(async () => {
    scratch = await realpath(await mkdtemp(join(tmpdir(), "arbor-held-")));
    [root, outside] = [join(scratch, "ws"), join(scratch, "outside")];
    for (const folder of [root, outside, join(root, "d"), join(root, ".git")]) await mkdir(folder);
    await writeFile(join(root, "d/f"), "inside");
    await writeFile(join(outside, "f"), "outside");
  });
  afterEach(() => rm(scratch, { recursive: true, force: true }));

  it("4 6 read nothing outside, through a link to a file or a folder", async () => {
    await symlink(join(outside, "f"), join(root, "link"));
    await symlink(outside, join(root, "out"));
    for (const path of ["link", "out/f"])
      await assert.rejects(readInside(inRoot(path), most), { name: "LeftFolderError" });
  });

  it("4 say where a link in the workspace leads", async () => {
    await writeFile(join(root, ".env"), "KEY=1");
    await symlink(".env", join(root, "notes.txt"));
    assert.equal((await readInside(inRoot("notes.txt"), most))?.real, ".env");
    assert.equal((await readInside(inRoot("d/f"), most))?.real, "d/f");
  });

  it("25 are plain files of a size, so that no pipe or device holds anything up", async () => {
    assert.equal(await readInside(inRoot("d"), most), undefined);
    assert.equal(await readInside(inRoot("d/f"), 3), undefined);
    if (process.platform === "win32") return;
    assert.equal(await readInside({ root: "/dev", path: "/dev/zero" }, most), undefined);
    execFileSync("mkfifo", [join(root, "pipe")]);
    assert.equal(await readInside(inRoot("pipe"), most), undefined);
  });

  it("5 15 are made in the workspace with the folders they need, or not at all", async () => {
    await createInside(inRoot("new/deep/a.txt"), Buffer.from("text"), { mode: 0o750 });
    assert.equal(await readFile(join(root, "new/deep/a.txt"), "utf8"), "text");
    await assert.rejects(createInside(inRoot("d/f"), Buffer.from("x"), {}), { code: "EEXIST" });
    await symlink(outside, join(root, "out"));
    for (const path of ["out/a.txt", "out/deep/er/a.txt"])
      await assert.rejects(createInside(inRoot(path), Buffer.from("x"), {}), { name: "LeftFolderError" });
    await symlink(join(outside, "made"), join(root, "dangling"));
    await assert.rejects(createInside(inRoot("dangling"), Buffer.from("x"), {}), { code: "EEXIST" });
    assert.deepEqual(await readdir(outside), ["f"]);
  });

  it("are judged by the folder that was found, and leave no folders behind when that says no", async () => {
    await symlink(join(root, ".git"), join(root, "g"));
    const check = (folder: string, name: string) => {
      throw new Error(`${folder}/${name}`);
    };
    await assert.rejects(createInside(inRoot("g/hooks/pre-commit"), Buffer.from("x"), { check }), {
      message: ".git/hooks/pre-commit",
    });
    assert.deepEqual(await readdir(join(root, ".git")), []);
  });

  it("15 are listed only where they are, whatever a link to their folder showed for a moment", async () => {
    await symlink("d", join(root, "same"));
    await symlink(outside, join(root, "out"));
    await symlink("nowhere", join(root, "d/dangling"));
    await writeFile(join(outside, "other"), "");
    const listed = ["d/f", "d/other", "d/dangling", "same/f", "out/f", "gone/f", ".git"];
    assert.deepEqual([...(await existingInside(root, listed))], ["d/f", "d/dangling", "same/f", ".git"]);
  });

  for (const [way, command] of [
    ["moved away and back", moveCommand],
    ["exchanged in one step", exchangeCommand],
  ] as const) {
    it(`15 are read, made and replaced nowhere else while a folder and a link are ${way}`, async function () {
      if (process.platform !== "linux" || (command === exchangeCommand && !canExchange())) return this.skip();
      const swapped = swapping(join(root, "d"), outside, command);
      const done = { read: 0, created: 0, replaced: 0, refused: 0 };
      const refused = () => {
        done.refused++;
      };
      try {
        // How often the swapping process gets its turn is up to the machine: each outcome has to be met.
        for (let round = 0; round < 2_000 || Math.min(...Object.values(done)) === 0; round++) {
          const found = await readInside(inRoot("d/f"), most).catch(refused);
          if (found !== undefined) {
            assert.equal(String(found.bytes).startsWith("inside"), true);
            done.read++;
          }
          await createInside(inRoot(`d/new/${round}`), Buffer.from("x"), {}).then(() => done.created++, refused);
          await replaceHeld("d/f", "inside, again").then(() => done.replaced++, refused);
        }
        assert.deepEqual(await readdir(outside), ["f"]);
        assert.equal(await readFile(join(outside, "f"), "utf8"), "outside");
      } finally {
        await swapped.stop();
      }
    });
  }

  it("6 15 are not written through a link that took the place of a file with two names", async () => {
    await link(join(root, "d/f"), join(root, "second"));
    const folder = await holdFolder(inRoot("d/f"));
    await rm(join(root, "d/f"));
    await link(join(outside, "f"), join(outside, "other"));
    await symlink(join(outside, "f"), join(root, "d/f"));
    await assert.rejects(replaceBytes(folder.at("f"), Buffer.from("x")));
    await folder.close();
    assert.equal(await readFile(join(outside, "f"), "utf8"), "outside");
  });

  async function replaceHeld(path: string, text: string): Promise<void> {
    const real = await realpath(join(root, path));
    const folder = await holdFolder({ root, path: real });
    try {
      await replaceBytes(folder.at(basename(real)), Buffer.from(text));
    } finally {
      await folder.close();
    }
  }
});
