import assert from "node:assert/strict";
import { appendFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { diskFiles, type Files } from "../../../src/extension/common/files.ts";
import { UserError } from "../../../src/extension/common/userError.ts";
import type { SessionStorage } from "../../../src/extension/sessions/session.ts";
import type { LogEntry } from "../../../src/protocol/messages.ts";
import { chatLog, fold, withoutChildrensWords } from "./support/chatLog.ts";
import { type DiskFault, type FaultPlan, failingFiles, fault } from "./support/failingFiles.ts";
import { type TestFolder, testFolder } from "./support/folder.ts";
import { settled } from "./support/settled.ts";
import { writeSession } from "./support/writeSession.ts";

const codes: readonly DiskFault[] = ["ENOSPC", "EIO", "EACCES"];
const old = chatLog().host({ type: "chat_titled", title: "Old" }).run("first").run("second").rewind(1).undo();

/** What one can do with a folder that has the session "old". Refused steps throw. */
const steps: Record<string, (storage: SessionStorage) => Promise<unknown>> = {
  list: (storage) => storage.list(),
  open: async (storage) => (await storage.open("old")).writer?.close(),
  readEarlier: (storage) => storage.readEarlier("old", { offset: 900 }),
  messagesOf: (storage) => storage.messagesOf("old", "root"),
  rename: (storage) => storage.rename("old", "New"),
  remove: (storage) => storage.remove("old"),
  "remove and restore": async (storage) => {
    await storage.remove("old");
    await storage.restore("old");
  },
  fork: (storage) => storage.fork("old"),
  exportJson: (storage) => storage.exportJson("old"),
  importFrom: (storage) => storage.importFrom(exported),
  prune: async (storage) => storage.prune?.({ maxAgeMs: 1e9, maxBytes: 1e9, now: 1_000 }),
};

let exported = "";

describe("a disk that fails", function () {
  this.timeout(60_000);

  before(async () => {
    await using folder = await testFolder();
    await writeSession(folder.storage(), "old", old);
    exported = await folder.storage().exportJson("old");
  });

  for (const [name, step] of Object.entries(steps)) {
    it(`at any call of ${name} damages no session, and is reported in plain words`, () =>
      atEachCall(async (folder, plan) => {
        await writeSession(folder.storage(), "old", old);
        const { files, heal } = failingFiles(plan);
        const storage = folder.storage({ files });
        await step(storage).catch((error: unknown) => assert.ok(error instanceof UserError, String(error)));
        heal();
        const left = (await readdir(folder.path)).filter((file) => file.endsWith(".tmp"));
        assert.ok(plan.isLasting || left.length === 0, left.join());
        const after = folder.storage();
        if ((await readdir(folder.path)).every((file) => file !== "old.jsonl")) await after.restore("old");
        await holds(after, "old", old.entries);
        for (const { id, title } of await after.list()) {
          assert.ok(title === "Old" || title === "New");
          await holds(after, id, old.entries);
        }
      }, step));
  }

  it("while a chat is written stops neither the chat nor, once it works again, its saving", () =>
    atEachCall(
      async (folder, plan) => {
        const failing = failingFiles(plan);
        const storage = folder.storage({ files: failing.files });
        const log = chatLog().run("first").run("second").rewind(1).undo().run("third");
        const writer = await storage.create("new");
        const half = Math.floor(log.entries.length / 2);
        for (const entry of log.entries.slice(0, half)) writer.append(entry);
        const hasFailed = failing.calls >= plan.from;
        failing.heal();
        for (const entry of log.entries.slice(half)) writer.append(entry);
        await writer.close();
        assert.ok(storage.warnings.length <= 1, JSON.stringify([plan, storage.warnings]));
        assert.equal(storage.warnings.length === 1, hasFailed);
        await holds(folder.storage(), "new", log.entries);
      },
      (storage) => writeSession(storage, "new", chatLog().run("first").run("second").rewind(1)),
    ));

  it("while an old chat is written on leaves what was there and writes the rest when it can", () =>
    atEachCall(
      async (folder, plan) => {
        await writeSession(folder.storage(), "old", old);
        const log = chatLog().host({ type: "chat_titled", title: "Old" }).run("first").run("second").rewind(1).undo();
        const failing = failingFiles(plan);
        const storage = folder.storage({ files: failing.files });
        const opened = await storage.open("old").catch((error: unknown) => assert.ok(error instanceof UserError));
        log.run("third");
        const added = log.entries.slice(old.entries.length);
        for (const entry of added.slice(0, 3)) opened?.writer?.append(entry);
        failing.heal();
        for (const entry of added.slice(3)) opened?.writer?.append(entry);
        await opened?.writer?.close();
        await holds(folder.storage(), "old", opened?.writer === undefined ? old.entries : log.entries);
      },
      async (storage) => {
        const { writer, lastSeq } = await storage.open("old");
        writer?.append({ seq: lastSeq + 1, host: { type: "chat_titled", title: "Old" } });
        await writer?.close();
      },
    ));

  it("leaves what a crash tore to the next write, when it can't be cut away at once", async () => {
    await using folder = await testFolder();
    await writeSession(folder.storage(), "old", old);
    await appendFile(join(folder.path, "old.jsonl"), '{"seq":500,"at":1,"ki');
    const files: Files = {
      ...diskFiles,
      truncate() {
        throw fault("EIO");
      },
    };
    const { writer, lastSeq } = await folder.storage({ files }).open("old");
    files.truncate = diskFiles.truncate;
    writer?.append({ seq: lastSeq + 1, host: { type: "chat_titled", title: "Old" } });
    await writer?.close();
    await holds(folder.storage(), "old", old.entries);
  });

  it("warns of a full disk once, and says what to do", async () => {
    await using folder = await testFolder();
    const failing = failingFiles({ code: "ENOSPC", from: 1, isLasting: true });
    const storage = folder.storage({ files: failing.files });
    const writer = await storage.create("new");
    const log = chatLog().run("first");
    for (const entry of log.entries) writer.append(entry);
    assert.equal(storage.warnings.length, 1);
    assert.match(storage.warnings.join(), /disk is full.*Make room/);
    failing.heal();
    await writer.close();
    await holds(folder.storage(), "new", log.entries);
  });
});

/** Tries each call at which the disk may fail: once, and from there on. `counted` is what is done, without a fault. */
async function atEachCall(
  attempt: (folder: TestFolder, plan: FaultPlan) => Promise<void>,
  counted: (storage: SessionStorage) => Promise<unknown>,
): Promise<void> {
  const calls = await countCalls(counted);
  assert.ok(calls > 0);
  for (const code of codes) {
    for (const isLasting of [false, true]) {
      for (let from = 1; from <= calls; from++) {
        await using folder = await testFolder();
        await attempt(folder, { code, from, isLasting });
      }
    }
  }
}

async function countCalls(step: (storage: SessionStorage) => Promise<unknown>): Promise<number> {
  await using folder = await testFolder();
  await writeSession(folder.storage(), "old", old);
  const failing = failingFiles();
  await step(folder.storage({ files: failing.files }));
  return failing.calls;
}

/** The session has all of the log, and nothing else but a new name. */
async function holds(storage: SessionStorage, id: string, entries: readonly LogEntry[]): Promise<void> {
  const { entries: read, problems, writer } = await storage.open(id);
  await writer?.close();
  assert.deepEqual(problems, []);
  const expected = withoutChildrensWords(fold(settled(entries)));
  const found = withoutChildrensWords(fold(read));
  assert.deepEqual(found.tree, expected.tree);
  assert.deepEqual({ ...found.host, title: "" }, { ...expected.host, title: "" });
}
