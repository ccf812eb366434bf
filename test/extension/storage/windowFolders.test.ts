import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { diskFiles } from "../../../src/extension/common/files.ts";
import { ownIdentity, type ProcessIdentity } from "../../../src/extension/common/processIdentity.ts";
import {
  abandonedFolders,
  lockFolder,
  takeWindowFolder,
  useFreeFolder,
  type WindowsPlace,
} from "../../../src/extension/storage/windowFolders.ts";
import { bundleChild, endedProcess, startChild } from "../sessions/support/children.ts";

describe("the folders of windows", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const place = (owner: ProcessIdentity = ownIdentity()): WindowsPlace => ({
    folder,
    files: diskFiles,
    now: Date.now,
    abandoned: new Set(),
    owner: () => owner,
  });
  const gone = async () => ({ ...ownIdentity(), pid: await endedProcess() });
  const numberOf = (taken: string) => path.relative(folder, taken);

  it("are one for each living window, the lowest that is free", async () => {
    assert.equal(numberOf(await takeWindowFolder(place(), 0)), "0");
    assert.equal(numberOf(await takeWindowFolder(place(), 0)), "1");
    assert.equal(numberOf(await takeWindowFolder(place(), 0)), "2");
  });

  it("are found again with what is in them when their window is gone", async () => {
    const left = await takeWindowFolder(place(await gone()), 0);
    await writeFile(path.join(left, "drafts.json"), "[1]");
    const living = await takeWindowFolder(place(), 0);
    assert.equal(living, left);
    assert.deepEqual(await readdir(living), ["drafts.json"]);
  });

  it("wait a little for the process of a window that is reloaded", async () => {
    const old = place();
    const lock = lockFolder(old, path.join(folder, "0"));
    const taking = takeWindowFolder(place(), 60_000);
    lock?.release();
    assert.equal(numberOf(await taking), "0");
  });

  it("are known as abandoned when no living window has them", async () => {
    const left = place(await gone());
    diskFiles.makeFolder(path.join(folder, "0"));
    diskFiles.makeFolder(path.join(folder, "7"));
    lockFolder(left, path.join(folder, "7"));
    const own = await takeWindowFolder(place(), 0);
    assert.deepEqual(abandonedFolders(place()).map(numberOf), ["7"]);
    assert.equal(numberOf(own), "0");
  });

  it("give what no window has a place of its own", async () => {
    await takeWindowFolder(place(), 0);
    const used: string[] = [];
    for (let count = 0; count < 2; count++) {
      useFreeFolder(place(), "drafts.json", (free) => {
        used.push(numberOf(free));
        assert.equal(lockFolder(place(), free), undefined, "nobody else takes it meanwhile");
        diskFiles.create(path.join(free, "drafts.json"), "[]");
      });
    }
    assert.deepEqual(used, ["1", "2"]);
    assert.deepEqual(abandonedFolders(place()).map(numberOf), ["1", "2"]);
  });

  it("are never shared by processes that start at once", async () => {
    const script = await bundleChild("windowChild.ts", folder);
    const windows = path.join(folder, "windows");
    const children = Array.from({ length: 5 }, () => startChild(script, [windows]));
    await Promise.all(children.map((child) => child.said(1)));
    const taken = children.map(({ lines }) => path.relative(windows, lines[0] ?? "")).sort();
    for (const child of children) await child.killAfter(0);
    assert.deepEqual(taken, ["0", "1", "2", "3", "4"]);
  });
});
