import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import * as nodeFiles from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ReplacingFiles, replaceBytes } from "../../../src/extension/workspace/replaceBytes.ts";

const calls = ["access", "chmod", "readFile", "realpath", "rename", "rm", "stat", "writeFile"] as const;

/** The file system with one call that fails, after it has done half its work where it writes. */
function failing(name: (typeof calls)[number], code: string): ReplacingFiles {
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

  it("leaves a file that really is read-only, and says who can change that", async function () {
    this.timeout(120_000);
    await nodeFiles.chmod(path, 0o444);
    await nodeFiles.chmod(folder, 0o755);
    const module = JSON.stringify(new URL("../../../src/extension/workspace/replaceBytes.ts", import.meta.url));
    const script = `const { replaceBytes } = await import(${module});
      await replaceBytes(process.argv[1], Buffer.from("replaced")).catch((error) => console.log(error.message));`;
    // To root every file is writable, so the attempt is somebody else's.
    const anybody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const args = ["--input-type=module", "--eval", script, path];
    const { stdout } = await promisify(execFile)(process.execPath, args, anybody);
    assert.equal(stdout.trim(), "a.txt is read-only and was left as it is. Ask the user to make it writable.");
    assert.equal(await nodeFiles.readFile(path, "utf8"), "original\n");
  });

  for (const isShared of [false, true]) {
    for (const name of calls.filter(
      (call) => call !== "rm" && (isShared ? call !== "rename" && call !== "chmod" : call !== "readFile"),
    )) {
      for (const code of ["ENOSPC", "EIO", "EACCES"]) {
        it(`leaves the original when ${name} fails with ${code}${isShared ? " and the file has a second name" : ""}`, async () => {
          if (isShared) await nodeFiles.link(path, join(folder, "second"));
          await assert.rejects(replaceBytes(path, bytes, failing(name, code)), /left as it is|read-only/);
          assert.equal(await nodeFiles.readFile(path, "utf8"), "original\n");
          assert.deepEqual(await nodeFiles.readdir(folder), isShared ? ["a.txt", "second"] : ["a.txt"]);
        });
      }
    }
  }
});
