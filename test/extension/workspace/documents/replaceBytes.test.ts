import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import * as nodeFiles from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  hasRoom,
  type ReplacingFiles,
  replaceBytes,
  restoreBytes,
} from "../../../../src/extension/workspace/documents/replaceBytes.ts";
import { fileError, fileProblemOf } from "../../../../src/extension/workspace/fileProblems.ts";
import { mountSmallDisk, smallDiskBytes } from "../../../host/disks/smallDisk.ts";

const callNames = [
  ...(["access", "chmod", "readFile", "realpath", "rename", "rm", "stat", "truncate", "utimes", "writeFile"] as const),
];

/** The file system with one call that fails, after it has done half its work where it writes. */
function failing(name: (typeof callNames)[number], code: string): ReplacingFiles {
  const real: ReplacingFiles = { ...nodeFiles };
  let left = 1;
  const fail = async (path: unknown, bytes?: unknown, options?: unknown) => {
    // Only the first call fails: what repairs the damage is not to fail with it.
    if (left-- <= 0) return Reflect.apply(real[name], real, [path, bytes, options]);
    if (name === "writeFile" && typeof path === "string" && bytes instanceof Uint8Array) {
      await nodeFiles.writeFile(path, bytes.subarray(0, 2));
    }
    throw Object.assign(new Error(code), { code });
  };
  return { ...real, [name]: fail };
}

describe("Replacing a file's bytes", () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await nodeFiles.mkdtemp(join(tmpdir(), "arbor-bytes-"));
    path = join(folder, "a.txt");
    await nodeFiles.writeFile(path, "original\n", { mode: 0o640 });
  });
  afterEach(() => nodeFiles.rm(folder, { recursive: true }));
  const bytes = Buffer.from("replaced\r\n");

  it("writes them and keeps the mode, leaving nothing else behind", async () => {
    await replaceBytes(path, bytes);
    assert.equal(await nodeFiles.readFile(path, "utf8"), "replaced\r\n");
    assert.equal((await nodeFiles.stat(path)).mode & 0o777, 0o640);
    assert.deepEqual(await nodeFiles.readdir(folder), ["a.txt"]);
  });

  it("keeps a link a link and a second name the same file", async () => {
    await nodeFiles.symlink(path, join(folder, "link"));
    await replaceBytes(join(folder, "link"), bytes);
    assert.ok((await nodeFiles.lstat(join(folder, "link"))).isSymbolicLink());
    await nodeFiles.link(path, join(folder, "second"));
    await replaceBytes(path, Buffer.from("again\n"));
    assert.equal(await nodeFiles.readFile(join(folder, "second"), "utf8"), "again\n");
  });

  it("26 leaves a file that really is read-only, and says who can change that", async function () {
    this.timeout(120_000);
    await nodeFiles.chmod(path, 0o444);
    await nodeFiles.chmod(folder, 0o755);
    const module = JSON.stringify(
      new URL("../../../../src/extension/workspace/documents/replaceBytes.ts", import.meta.url),
    );
    const script = `const { replaceBytes } = await import(${module});
      await replaceBytes(process.argv[1], Buffer.from("replaced")).catch((error) => console.log(error.forModel));`;
    // To root every file is writable, so the attempt is somebody else's.
    const anybody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const args = ["--input-type=module", "--eval", script, path];
    const { stdout } = await promisify(execFile)(process.execPath, args, anybody);
    assert.equal(stdout.trim(), "a.txt was left as it is: it is read-only. Ask the user to make it writable.");
    assert.equal(await nodeFiles.readFile(path, "utf8"), "original\n");
  });

  const isCalled = (name: (typeof callNames)[number], isShared: boolean) =>
    isShared
      ? !["rm", "rename", "chmod", "utimes"].includes(name)
      : !["rm", "readFile", "truncate", "utimes"].includes(name);

  for (const isShared of [false, true]) {
    for (const name of callNames.filter((call) => isCalled(call, isShared))) {
      for (const code of ["ENOSPC", "EIO", "EACCES"]) {
        // Where only the copy beside it is forbidden, the file itself is written.
        if (code === "EACCES" && ["writeFile", "chmod", "rename"].includes(name)) continue;
        it(`26 leaves the original when ${name} fails with ${code}${isShared ? " and the file has a second name" : ""}`, async () => {
          if (isShared) await nodeFiles.link(path, join(folder, "second"));
          await assert.rejects(
            replaceBytes(path, bytes, { files: failing(name, code) }),
            /^UserError: a\.txt was not changed/,
          );
          assert.equal(await nodeFiles.readFile(path, "utf8"), "original\n");
          assert.deepEqual(await nodeFiles.readdir(folder), isShared ? ["a.txt", "second"] : ["a.txt"]);
        });
      }
    }
  }

  for (const [name, code] of [
    ["writeFile", "EACCES"],
    ["rename", "EBUSY"],
    ["rename", "EPERM"],
  ] as const) {
    it(`writes in place where ${name} of a copy is refused with ${code}`, async () => {
      await replaceBytes(path, bytes, { files: failing(name, code) });
      assert.equal(await nodeFiles.readFile(path, "utf8"), "replaced\r\n");
      assert.equal((await nodeFiles.stat(path)).mode & 0o777, 0o640);
      assert.deepEqual(await nodeFiles.readdir(folder), ["a.txt"]);
    });
  }

  it("restores the old bytes with their time where the disk has no room for a copy", async () => {
    await nodeFiles.writeFile(path, "orig");
    const before = { bytes: Buffer.from("original\n"), modifiedAt: Date.parse("2020-01-01T00:00:00Z") };
    await restoreBytes(path, before, failing("writeFile", "ENOSPC"));
    assert.equal(await nodeFiles.readFile(path, "utf8"), "original\n");
    assert.equal((await nodeFiles.stat(path)).mtimeMs, before.modifiedAt);
    assert.deepEqual(await nodeFiles.readdir(folder), ["a.txt"]);
  });

  it("finds out that a disk with little room has none for the bytes", async () => {
    const disk = mountSmallDisk(folder);
    if (!disk) return;
    try {
      assert.equal(await hasRoom(join(folder, "new/b.txt"), new Uint8Array(smallDiskBytes - 10_000)), true);
      assert.equal(await hasRoom(join(folder, "new/b.txt"), new Uint8Array(smallDiskBytes + 1)), false);
      assert.deepEqual(await nodeFiles.readdir(folder), []);
    } finally {
      disk.unmount();
    }
  });
});

describe("What a file system refuses", () => {
  const shown = (error: unknown) => {
    const problem = fileProblemOf(error);
    return problem && fileError("create", "a.ts", problem, "why").message;
  };
  const coded = (code: string) => Object.assign(new Error(`${code}: told`), { code });

  it("is said in words, whichever layer passed it on", () => {
    const wrapped = new Error("Unknown (FileSystemError): Error: ENOSPC: no space left on device, write");
    for (const error of [coded("ENOSPC"), coded("EDQUOT"), wrapped]) {
      assert.equal(shown(error), "a.ts could not be created: the disk is full.");
    }
    for (const code of ["EACCES", "EPERM", "EROFS", "NoPermissions"]) {
      assert.equal(shown(coded(code)), "a.ts could not be created: it is read-only.");
    }
    const newer = new Error("Unable to write file 'a.ts' (File Modified Since)");
    assert.match(shown(newer) ?? "", /the file on disk is newer than its text in the editor/);
    assert.equal(shown(coded("EIO")), "a.ts could not be created: the file system reports an error. why");
    assert.equal(shown(new TypeError("x is not a function")), undefined);
  });

  it("says to people what is wrong, and to models what to do", () => {
    const { message, forModel } = fileError("change", "a.ts", "read-only");
    assert.equal(message, "a.ts was not changed: it is read-only.");
    assert.equal(forModel, "a.ts was left as it is: it is read-only. Ask the user to make it writable.");
  });
});

describe("Replacing a file while other programs change it", function () {
  this.timeout(60_000);

  /** What another program does to the file, and what is then to be found in the folder, no matter which is first. */
  const others: Record<string, (folder: string) => Promise<void>> = {
    "writes it": (folder) => nodeFiles.writeFile(join(folder, "a.txt"), "theirs\n"),
    "appends to it": (folder) => nodeFiles.appendFile(join(folder, "a.txt"), "theirs\n"),
    async "puts another one in its place"(folder) {
      await nodeFiles.writeFile(join(folder, "b.txt"), "theirs\n");
      await nodeFiles.rename(join(folder, "b.txt"), join(folder, "a.txt"));
    },
    async "puts a link in its place"(folder) {
      await nodeFiles.writeFile(join(folder, "target.txt"), "theirs\n");
      await nodeFiles.symlink("target.txt", join(folder, "b.txt"));
      await nodeFiles.rename(join(folder, "b.txt"), join(folder, "a.txt"));
    },
    "changes the case of its name": (folder) => nodeFiles.rename(join(folder, "a.txt"), join(folder, "A.txt")),
    "removes it": (folder) => nodeFiles.rm(join(folder, "a.txt")),
  };

  /** All that is in the folder, without what somebody is just writing. */
  async function contentsOf(folder: string): Promise<string> {
    const names = (await nodeFiles.readdir(folder)).filter((name) => !name.endsWith(".tmp")).sort();
    const lines = names.map(async (name) => {
      const path = join(folder, name);
      const isLink = (await nodeFiles.lstat(path)).isSymbolicLink();
      return `${name}${isLink ? " (link)" : ""}: ${JSON.stringify(await nodeFiles.readFile(path, "utf8"))}`;
    });
    return (await Promise.all(lines)).join("\n");
  }

  for (const [does, act] of Object.entries(others)) {
    for (const hasSecondName of [false, true]) {
      it(`loses nothing when one ${does} at any moment before the last look${hasSecondName ? ", and it has a second name" : ""}`, async () => {
        let wasBefore = 0;
        for (let at = 1, isOver = false; !isOver; at++) {
          const folder = await nodeFiles.mkdtemp(join(tmpdir(), "arbor-others-"));
          try {
            const path = join(folder, "a.txt");
            await nodeFiles.writeFile(path, "original\n");
            if (hasSecondName) await nodeFiles.link(path, join(folder, "second.txt"));
            let calls = 0;
            let acted: string | undefined;
            let looked = false;
            const files: ReplacingFiles = { ...nodeFiles };
            for (const name of callNames) {
              const call: (...args: never[]) => unknown = files[name];
              // The same arguments and result as the call in whose place it is.
              Object.assign(files, {
                [name]: async (...args: never[]) => {
                  // Between the last look and the replacement there is nothing left to do.
                  if (!looked && ++calls === at) {
                    await act(folder);
                    acted = await contentsOf(folder);
                  }
                  looked ||= name === "readFile";
                  return call(...args);
                },
              });
            }
            const expected = Buffer.from("original\n");
            const isReplaced = await replaceBytes(path, Buffer.from("ours\n"), { files, expected }).catch(() => false);
            isOver = acted === undefined;
            if (isOver) assert.equal(isReplaced, true);
            else {
              wasBefore++;
              assert.equal(isReplaced, false, `moment ${at}`);
              assert.equal(await contentsOf(folder), acted, `moment ${at}`);
            }
            assert.deepEqual(
              (await nodeFiles.readdir(folder)).filter((name) => name.endsWith(".tmp")),
              [],
            );
          } finally {
            await nodeFiles.rm(folder, { recursive: true });
          }
        }
        assert.ok(wasBefore >= 4, `${wasBefore} moments`);
      });
    }
  }
});
