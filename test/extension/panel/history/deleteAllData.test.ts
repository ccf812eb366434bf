import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { deleteAllData, keptNames } from "../../../../src/extension/panel/history/deleteAllData.ts";

describe("deleting all data", () => {
  let folder: string;
  const done: string[] = [];
  const doing = (name: string) => async () => {
    done.push(name);
  };
  const dependencies = () => ({
    workspaceFolder: folder,
    windowFolders: () => [path.join(folder, "windows", "0")],
    earlierFolders: [path.join(folder, "earlier")],
    leaveChats: doing("leave"),
    deleteSessions: doing("sessions"),
    forget: doing("forget"),
    removeKeys: doing("keys"),
  });

  beforeEach(async () => {
    done.length = 0;
    folder = await mkdtemp(path.join(os.tmpdir(), "arbor-"));
    for (const name of keptNames) {
      if (name.endsWith(".json")) await writeFile(path.join(folder, name), "{}");
      else {
        await mkdir(path.join(folder, name, "deep"), { recursive: true });
        await writeFile(path.join(folder, name, "deep", "file"), "kept");
      }
    }
    await writeFile(path.join(folder, "pending-edits.json.unreadable-1a2b3c4d"), "");
    await writeFile(path.join(folder, "of another extension"), "");
    for (const place of ["windows/0", "windows/1", "earlier/sessions"]) {
      await mkdir(path.join(folder, place), { recursive: true });
      await writeFile(path.join(folder, place, "drafts.json"), "[]");
    }
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const left = async () => (await readdir(folder, { recursive: true })).sort();
  const notOurs = ["earlier", "of another extension", "windows", "windows/0", "windows/1", "windows/1/drafts.json"];

  it("leaves nothing of Arbor's and all that is not Arbor's or another window's", async () => {
    await deleteAllData(dependencies(), false);
    assert.deepEqual(await left(), notOurs);
    assert.deepEqual(done, ["leave", "forget", "sessions"]);
  });

  it("takes the keys too when that is wanted, and what was never there is no trouble", async () => {
    await deleteAllData(dependencies(), true);
    await deleteAllData(dependencies(), true);
    assert.deepEqual(done.slice(0, 4), ["leave", "forget", "keys", "sessions"]);
  });

  it("deletes the rest where a chat can't be deleted, and says so", async () => {
    const deleteSessions = () => Promise.reject(new Error("Another window has one."));
    await assert.rejects(deleteAllData({ ...dependencies(), deleteSessions }, false), /Another window/);
    assert.deepEqual(await left(), notOurs);
  });
});
