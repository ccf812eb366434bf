import assert from "node:assert/strict";
import disk, { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChangeStore } from "../../../../src/extension/changes/changeStore.ts";
import { editsOnDisk, PendingEditsFile } from "../../../../src/extension/changes/persistedEdits.ts";
import { Checkpoints } from "../../../../src/extension/changes/rewind/checkpoints.ts";
import { diskStorage } from "../../../../src/extension/changes/rewind/storage.ts";
import type { DiskCalls } from "../../../../src/extension/common/atomicFile.ts";
import { UserError } from "../../../../src/extension/common/userError.ts";
import { type DiskFault, fault } from "../../sessions/support/failingFiles.ts";
import { imagedFolder } from "../../sessions/support/imagedFolder.ts";
import { applying } from "../support/applying.ts";

const codes: readonly DiskFault[] = ["ENOSPC", "EIO", "EACCES"];
const names = ["access", "mkdir", "readdir", "readFile", "rename", "rm", "writeFile"] as const;

/** The disk, whose call of this number fails: that one alone, or all from there on. A write that fails has begun. */
function failingDisk(plan?: { code: DiskFault; from: number; isLasting: boolean }) {
  const state = { calls: 0, hasFailed: false };
  const isDue = () => {
    state.calls += 1;
    const is = plan !== undefined && (state.calls === plan.from || (plan.isLasting && state.calls > plan.from));
    state.hasFailed ||= is;
    return is;
  };
  const calls = Object.fromEntries(
    names.map((name) => {
      const call: (...args: never[]) => Promise<unknown> = disk[name];
      const failing = async (...args: never[]) => {
        if (!isDue() || plan === undefined) return call(...args);
        if (name === "writeFile") await writeFile(args[0] ?? "", "half of");
        throw fault(plan.code);
      };
      return [name, failing];
    }),
  );
  // The same calls under the same names.
  return { calls: calls as unknown as DiskCalls, state };
}

describe("a disk that fails", function () {
  this.timeout(60_000);
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "arbor-faults-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function atEachCall(
    attempt: (disk: ReturnType<typeof failingDisk>) => Promise<void>,
    check: (disk: ReturnType<typeof failingDisk>) => Promise<void>,
  ): Promise<void> {
    const whole = failingDisk();
    await attempt(whole);
    assert.ok(whole.state.calls > 3);
    for (const code of codes) {
      for (const isLasting of [false, true]) {
        for (let from = 1; from <= whole.state.calls; from++) {
          await rm(folder, { recursive: true, force: true });
          await disk.mkdir(folder);
          const failing = failingDisk({ code, from, isLasting });
          await attempt(failing);
          await check(failing);
        }
      }
    }
  }

  it("while checkpoints are kept leaves every file that it could not keep, and every kept one can be brought back", async () => {
    const told: unknown[] = [];
    const before = { a: "original a", b: "original b" };
    const run = async ({ calls }: ReturnType<typeof failingDisk>) => {
      told.length = 0;
      const files = join(folder, "files");
      await disk.mkdir(files);
      for (const [path, text] of Object.entries(before)) await writeFile(join(files, path), text);
      const storage = diskStorage(join(folder, "kept"), calls);
      const warn = (message: string) => told.push(message);
      const checkpoints = new Checkpoints({ storage, files: imagedFolder(files), warn });
      for (const [messageId, path] of [
        ["first", "a"],
        ["second", "b"],
        ["second", "a"],
      ] as const) {
        checkpoints.begin(messageId);
        try {
          await checkpoints.beforeChange([path]);
          await writeFile(join(files, path), `changed after ${messageId}`);
        } catch (error) {
          assert.ok(error instanceof UserError, String(error));
          told.push(error);
        }
      }
    };
    await atEachCall(run, async ({ state }) => {
      const images = imagedFolder(join(folder, "files"));
      const warn = (message: string) => assert.fail(message);
      const checkpoints = new Checkpoints({ storage: diskStorage(join(folder, "kept")), files: images, warn });
      for (const messageId of ["second", "first"]) await checkpoints.rewind(messageId, messageId).catch(() => []);
      for (const [path, text] of Object.entries(before)) {
        assert.equal(await readFile(join(folder, "files", path), "utf8"), text);
      }
      assert.equal(told.length > 0, state.hasFailed);
      const left = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".tmp"));
      assert.ok(left.length <= 3);
    });
  });

  it("while pending edits are kept undoes no edit, says so, and leaves what was kept before", async () => {
    const text = "one\ntwo\nthree\n";
    const told: unknown[] = [];
    let session = applying({ "a.ts": text });
    const open = (into: ChangeStore, calls: DiskCalls) =>
      new PendingEditsFile({
        store: into,
        saved: editsOnDisk(folder, calls),
        currentTextOf: async (path) => session.textOf(path),
        onDropped: () => {},
        onError: (error) => told.push(error),
        typingRestsMs: 0,
      });
    const run = async ({ calls }: ReturnType<typeof failingDisk>) => {
      told.length = 0;
      session = applying({ "a.ts": text });
      const kept = open(session.store, disk);
      const saving = await kept.load();
      await session.edit("a.ts", "one", "1");
      await kept.flush();
      saving.dispose();
      const failing = open(session.store, calls);
      const more = await failing.load().catch((error: unknown) => {
        told.push(error);
      });
      await session.edit("a.ts", "two", "2");
      await failing.flush();
      more?.dispose();
    };
    await atEachCall(run, async ({ state }) => {
      assert.equal(session.textOf("a.ts"), "1\n2\nthree\n");
      assert.equal(told.length > 0, state.hasFailed);
      const store = new ChangeStore();
      (await open(store, disk).load()).dispose();
      assert.ok(store.files.some(({ hunks }) => hunks.some(({ hunk }) => hunk.newLines.join() === "1")));
    });
  });
});
