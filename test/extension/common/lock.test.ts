import assert from "node:assert/strict";
import { readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ownIdentity, type ProcessIdentity } from "../../../src/extension/common/processIdentity.ts";
import { chatLog } from "../sessions/support/chatLog.ts";
import { bundleChild, endedProcess, startChild } from "../sessions/support/children.ts";
import { testFolder } from "../sessions/support/folder.ts";
import { writeSession } from "../sessions/support/writeSession.ts";

describe("a session that is open in two windows", () => {
  it("is written by the first and read by the second, which can fork it", async () => {
    await using folder = await testFolder();
    await writeSession(folder.storage(), "a", chatLog().run("first"));
    const first = await folder.storage().open("a");
    const other = folder.storage();
    const second = await other.open("a");
    assert.deepEqual([first.writer === undefined, second.writer === undefined], [false, true]);
    assert.deepEqual(second.entries, first.entries);
    assert.notEqual((await other.open(await other.fork("a"))).writer, undefined);
    await first.writer?.close();
    const third = await other.open("a");
    assert.notEqual(third.writer, undefined);
    await third.writer?.close();
    assert.deepEqual(
      (await readdir(folder.path)).filter((name) => name.startsWith("a.") && name.endsWith(".lock")),
      [],
    );
  });

  it("is written by the second when the first releases it soon, as a window does that is reloaded", async () => {
    await using folder = await testFolder();
    await writeSession(folder.storage(), "a", chatLog().run("first"));
    const first = await folder.storage().open("a");
    const opening = folder.storage({ patienceMs: 60_000 }).open("a");
    await first.writer?.close();
    const { writer } = await opening;
    assert.notEqual(writer, undefined);
    await writer?.close();
  });

  it("is not interrupted while the other one runs it", async () => {
    await using folder = await testFolder();
    const log = chatLog().begin("first");
    const writer = await folder.storage().create("a");
    for (const entry of log.entries) writer.append(entry);
    const other = folder.storage();
    assert.equal((await other.list())[0]?.isInterrupted, false);
    assert.equal((await other.open("a")).summary.isInterrupted, false);
    await writer.close();
    assert.equal((await other.list())[0]?.isInterrupted, true);
    const { summary, writer: next } = await other.open("a");
    assert.equal(summary.isInterrupted, true);
    await next?.close();
  });

  it("is neither renamed, removed nor deleted by the second", async () => {
    await using folder = await testFolder();
    await writeSession(folder.storage(), "a", chatLog().run("first"));
    const { writer } = await folder.storage().open("a");
    const other = folder.storage();
    await assert.rejects(other.rename("a", "x"), /another window/);
    await assert.rejects(other.remove("a"), /another window/);
    assert.equal((await other.list()).length, 1);
    await writer?.close();
  });

  it("gives the second reader of a line that is being written only what is whole", async () => {
    await using folder = await testFolder();
    await writeSession(folder.storage(), "a", chatLog().run("first"));
    const { writer, entries } = await folder.storage().open("a");
    await writeFile(join(folder.path, "a.jsonl"), '{"seq":99,"at":1,"ki', { flag: "a" });
    const second = await folder.storage().open("a");
    assert.deepEqual([second.entries, second.problems], [entries, []]);
    await writer?.close();
  });
});

describe("the lock of a session", () => {
  /** Who is given as its owner, and whether another window may write. */
  const owners: [string, (own: ProcessIdentity) => Promise<ProcessIdentity> | ProcessIdentity, boolean][] = [
    ["of a living process is respected", (own) => own, false],
    ["of a process that ended is taken over", async (own) => ({ ...own, pid: await endedProcess() }), true],
    ["of a process whose id another one has now is taken over", (own) => ({ ...own, startedAt: "long-ago" }), true],
    ["of a process that can't be told apart is respected", (own) => ({ ...own, startedAt: "" }), false],
    ["of another machine is respected", (own) => ({ ...own, pid: 1, machine: "elsewhere" }), false],
  ];
  for (const [outcome, ownerOf, isTaken] of owners) {
    it(outcome, async () => {
      await using folder = await testFolder();
      const storage = folder.storage({ now: Date.now });
      await writeSession(storage, "a", chatLog().run("first"));
      const { pid, startedAt, machine } = await ownerOf(ownIdentity());
      await writeFile(join(folder.path, `a.jsonl.${pid}.${startedAt}.${machine}.0badcafe.lock`), "");
      const { writer } = await storage.open("a");
      assert.equal(writer !== undefined, isTaken);
      await writer?.close();
      const left = (await readdir(folder.path)).filter((name) => name.endsWith(".lock"));
      assert.equal(left.length, isTaken ? 0 : 1);
    });
  }

  it("of another machine is taken over when the session has rested for an hour", async () => {
    await using folder = await testFolder();
    const storage = folder.storage({ now: Date.now });
    await writeSession(storage, "a", chatLog().run("first"));
    await writeFile(join(folder.path, "a.jsonl.1.x.elsewhere.0badcafe.lock"), "");
    const earlier = new Date(Date.now() - 3_700_000);
    await utimes(join(folder.path, "a.jsonl"), earlier, earlier);
    const { writer } = await storage.open("a");
    assert.notEqual(writer, undefined);
    await writer?.close();
  });
});

describe("windows that open a session at the same moment", function () {
  this.timeout(60_000);

  it("never write to it both", async () => {
    await using folder = await testFolder();
    await writeSession(folder.storage(), "a", chatLog().run("first"));
    const script = await bundleChild("openingChild.ts", folder.path);
    for (let round = 0; round < 10; round++) {
      const windows = Array.from({ length: 4 }, () => startChild(script, [folder.path]));
      // Each says whether it may write, and holds on to that until it is killed.
      await Promise.all(windows.map((window) => window.said(1)));
      const writing = windows.filter(({ lines }) => lines[0] === "writes");
      assert.ok(writing.length <= 1, `${writing.length} windows write.`);
      await Promise.all(windows.map((window) => window.killAfter(1)));
      const { writer } = await folder.storage().open("a");
      assert.notEqual(writer, undefined);
      await writer?.close();
    }
  });
});
