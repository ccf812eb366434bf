import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { diskFiles } from "../../../src/extension/common/files.ts";
import { ownIdentity } from "../../../src/extension/common/processIdentity.ts";
import { openWorkspaceStorage } from "../../../src/extension/storage/openStorage.ts";
import { abandonedFolders, lockFolder, type WindowsPlace } from "../../../src/extension/storage/windowFolders.ts";
import { eventually } from "../../host/eventually.ts";

describe("what windows left that are gone", () => {
  let globalFolder: string;
  let windows: string;
  let close: (() => void)[];
  beforeEach(async () => {
    globalFolder = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
    close = [];
  });
  afterEach(async () => {
    for (const each of close) each();
    await rm(globalFolder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** As another window locks folders. */
  const other = (): WindowsPlace => {
    const owner = ownIdentity;
    return { folder: windows, files: diskFiles, now: Date.now, abandoned: new Set(), owner };
  };
  async function leave(number: number, name = "drafts.json"): Promise<string> {
    const folder = path.join(windows, String(number));
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, name), "[]");
    return folder;
  }
  async function opened() {
    const storage = await openWorkspaceStorage({ workspace: { folders: [] }, globalFolder, editorFolder: undefined });
    windows = path.dirname(storage.windowFolder);
    close.push(() => storage.dispose());
    const taken: string[] = [];
    const failures: unknown[] = [];
    /** Takes what is in a folder, unless that fails. */
    const watch = (before: (number: string) => void = () => {}) => {
      const watching = storage.watchAbandoned({
        afterMs: 10,
        everyMs: 2,
        onFailure: (error) => failures.push(error),
        async adopt(folder) {
          assert.deepEqual(abandonedFolders(other()).includes(folder), false, "no other window can take it meanwhile");
          taken.push(path.basename(folder));
          before(path.basename(folder));
          for (const name of await readdir(folder)) await rm(path.join(folder, name));
        },
      });
      close.push(() => watching.dispose());
    };
    return { storage, taken, failures, watch };
  }

  it("is taken up once, in whichever file it is, by one of two windows", async () => {
    const one = await opened();
    const two = await opened();
    await leave(3);
    await leave(4, "pending-edits.json");
    await leave(5, "written-edits.json");
    one.watch();
    two.watch();
    await eventually(async () => assert.deepEqual([...one.taken, ...two.taken].sort(), ["3", "4", "5"]));
    await leave(6);
    await eventually(async () => assert.deepEqual([...one.taken, ...two.taken].sort(), ["3", "4", "5", "6"]));
    assert.deepEqual([...one.failures, ...two.failures], []);
  });

  it("is let be while a window has it, and where there is nothing to take up", async () => {
    const { taken, watch } = await opened();
    const held = await leave(3);
    const lock = lockFolder(other(), held);
    assert.ok(lock);
    await leave(4, "shown-chat.json");
    watch();
    for (const number of [5, 6, 7]) {
      await leave(number);
      await eventually(async () => assert.equal(taken.at(-1), String(number)));
    }
    assert.deepEqual(taken, ["5", "6", "7"]);
    lock.release();
    await eventually(async () => assert.deepEqual(taken, ["5", "6", "7", "3"]));
  });

  it("is tried again when that failed, said once, and keeps others from nothing", async () => {
    const { taken, failures, watch } = await opened();
    await leave(3);
    await leave(4);
    let left = 3;
    watch((number) => {
      if (number === "3" && left-- > 0) throw new Error("The disk is full");
    });
    await eventually(async () => assert.deepEqual([...taken].sort(), ["3", "3", "3", "3", "4"]));
    assert.deepEqual(taken.slice(0, 2), ["3", "4"]);
    assert.deepEqual(failures.map(String), ["Error: The disk is full"]);
    const free = () => abandonedFolders(other()).map((folder) => path.basename(folder));
    await eventually(async () => assert.deepEqual(free().sort(), ["3", "4"]));
  });
});
