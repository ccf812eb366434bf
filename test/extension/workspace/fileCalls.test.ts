import assert from "node:assert/strict";
import files, { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { secretFileAt } from "../../../src/extension/approvals/editSensitivity.ts";
import { AgentIgnore, agentWorkspace } from "../../../src/extension/customization/agentIgnore.ts";
import { readInside } from "../../../src/extension/workspace/documents/heldFiles.ts";
import { folderWorkspace } from "../../../src/extension/workspace/folderWorkspace.ts";
import { locate, refuseLinksOutside } from "../../../src/extension/workspace/paths.ts";
import type { Workspace } from "../../../src/extension/workspace/workspace.ts";
import { waitsOf } from "../../support/fileWaits.ts";
import { memoryWorkspace } from "../../support/memoryWorkspace.ts";

const counted = ["lstat", "open", "readlink", "realpath", "stat"] as const;

/** How often work asks the file system for something. */
async function callsOf(work: () => Promise<unknown>): Promise<string[]> {
  const calls: string[] = [];
  const real = Object.fromEntries(counted.map((name) => [name, files[name]]));
  for (const name of counted) {
    const original = files[name] as (...given: unknown[]) => unknown;
    Object.assign(files, {
      [name](...given: unknown[]) {
        calls.push(`${name} ${String(given[0])}`);
        return original(...given);
      },
    });
  }
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    Object.assign(files, real);
    syncBuiltinESMExports();
  }
  assert.ok(calls.length > 0, "the calls are seen");
  return calls;
}

const few = (calls: readonly string[], most: number) => assert.ok(calls.length <= most, calls.join("\n"));

describe("what is waited for before a file is read", () => {
  let root: string;
  before(async () => {
    root = await files.realpath(await mkdtemp(join(tmpdir(), "arbor-")));
    await mkdir(join(root, "src/deep/below"), { recursive: true });
    await writeFile(join(root, "src/deep/below/a.ts"), "text");
    await symlink("src", join(root, "linked"));
  });
  after(() => rm(root, { recursive: true }));
  const judged = (path: string) =>
    callsOf(() => refuseLinksOutside(locate(path, [{ name: "app", path: root }], "linux")));

  it("judges a path in as many calls however deep it is, where no step of it leads back", async function () {
    if (process.platform === "win32") this.skip();
    few(await judged("src/deep/below/a.ts"), 3);
    few(await judged("linked/deep/below/a.ts"), 3);
    few(await judged("src/deep/below/missing.ts"), 5);
  });

  it("finds whether a file holds secrets in three calls", async () => {
    few(await callsOf(() => secretFileAt("src/deep/below/a.ts", { root, relative: "src/deep/below/a.ts" })), 3);
  });

  it("waits for no call of the file system that could be made beside another", async function () {
    if (process.platform !== "linux") this.skip();
    const path = "src/deep/below/a.ts";
    const judge = (asked: string) => () => refuseLinksOutside(locate(asked, [{ name: "app", path: root }], "linux"));
    assert.equal(await waitsOf(judge(path)), 1);
    assert.equal(await waitsOf(judge("src/missing.ts")), 2);
    assert.equal(await waitsOf(() => secretFileAt(path, { root, relative: path })), 1);
    // Opened, judged, read and closed.
    assert.equal(await waitsOf(() => readInside({ root, path: join(root, path) }, 100)), 4);
  });

  it("reads a file while .agentignore is looked for", async function () {
    if (process.platform !== "linux") this.skip();
    const workspace = folderWorkspace(root, "app");
    const shown = agentWorkspace(workspace, new AgentIgnore({ workspace, realPath: async () => undefined }));
    const read = (from: Workspace) => () => from.read("src/deep/below/a.ts", AbortSignal.timeout(10_000));
    assert.equal(await waitsOf(read(shown)), await waitsOf(read(workspace)));
  });

  it("looks at .agentignore once for each use of a file", async () => {
    const inner = memoryWorkspace({ files: { "a.ts": "text" } });
    const asked: string[] = [];
    const workspace = {
      ...inner,
      stat: (path: string) => {
        asked.push(`stat ${path}`);
        return inner.stat(path);
      },
      read: (path: string, signal: AbortSignal) => {
        asked.push(`read ${path}`);
        return inner.read(path, signal);
      },
    };
    const shown = agentWorkspace(workspace, new AgentIgnore({ workspace, realPath: async () => undefined }));
    await shown.stat("a.ts");
    await shown.read("a.ts", AbortSignal.timeout(10_000));
    assert.deepEqual(asked, ["stat .agentignore", "stat a.ts", "stat .agentignore", "read a.ts"]);
  });
});
