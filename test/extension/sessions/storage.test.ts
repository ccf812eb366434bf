import assert from "node:assert/strict";
import { readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { AgentMessage, EventBody } from "../../../src/agent/types.ts";
import type { LogEntry } from "../../../src/protocol/messages.ts";
import { type ChatLog, chatLog, fold } from "./support/chatLog.ts";
import { testFolder } from "./support/folder.ts";
import { writeSession } from "./support/writeSession.ts";

describe("the sessions of a workspace", () => {
  it("are listed by what was said in them, newest first", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    await writeSession(storage, "a", titled("One").run("first").run("second"));
    await writeSession(storage, "b", titled("Two").run("third").begin("fourth"));
    assert.partialDeepStrictEqual(await folder.storage().list(), [
      { id: "b", title: "Two", messageCount: 2, isInterrupted: true },
      { id: "a", title: "One", messageCount: 2, isInterrupted: false },
    ]);
  });

  it("count neither messages that were rewound nor twice what was spent", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    const log = chatLog().run("first").run("second").rewind(1);
    await writeSession(storage, "a", log);
    const { root } = fold(log.entries).tree.nodes;
    const [summary] = await storage.list();
    assert.equal(summary?.messageCount, 1);
    assert.equal(summary?.tokens, (root?.total.input ?? 0) + (root?.total.output ?? 0));
    assert.equal(summary?.cost, root?.total.cost);
  });

  it("84 are in their folder alone, whatever id a page names", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    await writeSession(storage, "a", titled("One").run("first"));
    const outside = `${folder.path}-outside.jsonl`;
    await writeFile(outside, "private");
    const name = basename(outside, ".jsonl");
    try {
      for (const id of [
        `../${name}`,
        `a/../../${name}`,
        `..\\${name}`,
        outside,
        "..",
        ".",
        "",
        "a.jsonl",
        "a\0",
        "%2e%2e",
      ]) {
        const refused = { name: "UserError" };
        for (const act of [
          () => storage.open(id),
          () => storage.rename(id, "new"),
          () => storage.remove(id),
          () => storage.restore(id),
          () => storage.fork(id),
          () => storage.exportJson(id),
          () => storage.create(id),
          async () => storage.fileOf(id),
        ]) {
          await assert.rejects(act, refused, `${act} ${JSON.stringify(id)}`);
        }
      }
      assert.equal(await readFile(outside, "utf8"), "private");
      assert.deepEqual(
        (await readdir(folder.path)).filter((each) => each.endsWith(".jsonl")),
        ["a.jsonl"],
      );
    } finally {
      await rm(outside);
    }
  });

  it("leave no file where nothing was said", async () => {
    await using folder = await testFolder();
    const writer = await folder.storage().create("a");
    await writer.close();
    assert.deepEqual(await readdir(folder.path), []);
  });

  it("go on where they stopped, in what they cost too", async () => {
    await using folder = await testFolder();
    const log = chatLog().run("first");
    await writeSession(folder.storage(), "a", log);
    const { writer, lastSeq } = await folder.storage().open("a");
    assert.equal(lastSeq, log.entries.length);
    log.run("second").rewind(1).undo();
    for (const entry of log.entries.slice(lastSeq)) writer?.append(entry);
    await writer?.close();
    const { entries, summary } = await folder.storage().open("a");
    assert.deepEqual(fold(entries).tree.nodes.root, fold(log.entries).tree.nodes.root);
    assert.equal(summary.messageCount, 2);
    assert.equal(summary.cost, fold(log.entries).tree.nodes.root?.total.cost);
  });

  it("say a rewind and its undoing in a few words, after a restart too", async () => {
    await using folder = await testFolder();
    const log = chatLog();
    for (let count = 0; count < 50; count++) log.run("x".repeat(1_000));
    await writeSession(folder.storage(), "a", log);
    const before = await sizeOf(folder.path, "a");
    const { writer, lastSeq } = await folder.storage().open("a");
    log.rewind(1).undo();
    for (const entry of log.entries.slice(lastSeq)) writer?.append(entry);
    await writer?.close();
    assert.ok((await sizeOf(folder.path, "a")) - before < 3_000);
  });

  it("don't write again what a resumed agent was given of them", async () => {
    await using folder = await testFolder();
    const log = chatLog().run("first");
    await writeSession(folder.storage(), "a", log);
    const before = await sizeOf(folder.path, "a");
    const { writer } = await folder.storage().open("a");
    writer?.append(toldTranscript(log, log.messages, "initial"));
    await writer?.close();
    assert.equal(await sizeOf(folder.path, "a"), before);
  });

  it("are read with all their messages where an agent's were put into another order", async () => {
    await using folder = await testFolder();
    for (const page of [
      { bytes: 1e6, entries: 1_000 },
      { bytes: 500, entries: 3 },
    ]) {
      const storage = folder.storage({ page });
      const id = `chat-${page.entries}`;
      const log = chatLog().run("first").run("second");
      const { entries } = log;
      entries.push(toldTranscript(log, [...log.messages].reverse(), "added"));
      await writeSession(storage, id, log);
      const { entries: last, earlier, writer } = await storage.open(id);
      await writer?.close();
      const pages = [last];
      for (let cursor = earlier; cursor !== undefined; ) {
        const before = await storage.readEarlier(id, cursor);
        pages.unshift(before.entries);
        cursor = before.earlier;
      }
      assert.deepEqual(fold(pages.flat()).tree.nodes.root, fold(entries).tree.nodes.root);
      assert.deepEqual(await storage.messagesOf(id, "root"), [...log.messages].reverse());
      assert.deepEqual(await storage.messagesOf(id, "root", entries.length), log.messages);
    }
  });

  it("take new names, open or not", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    await writeSession(storage, "a", titled("One").run("first"));
    await storage.rename("a", "Two");
    assert.equal((await storage.open("a")).summary.title, "Two");
    await storage.rename("a", "Three");
    assert.equal((await storage.list())[0]?.title, "Three");
  });

  it("come back after they were removed", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    await writeSession(storage, "a", titled("One").run("first"));
    const bytes = await readFile(fileOf(folder.path, "a"));
    await storage.remove("a");
    assert.deepEqual(await storage.list(), []);
    await assert.rejects(storage.open("a"), /not there any more/);
    await storage.restore("a");
    assert.deepEqual(await readFile(fileOf(folder.path, "a")), bytes);
    assert.equal((await storage.list())[0]?.title, "One");
  });

  it("are forked up to an entry, and both go on independently", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    const log = titled("One").run("first").run("second");
    await writeSession(storage, "a", log);
    const second = log.entries.find((entry) => isStart(entry) && entry.seq > 5);
    const id = await storage.fork("a", second?.seq);
    const fork = await storage.open(id);
    assert.equal(fork.lastSeq, (second?.seq ?? 0) - 1);
    assert.partialDeepStrictEqual(fork.summary, { title: "One", messageCount: 1, isInterrupted: false });
    fork.writer?.append({ seq: fork.lastSeq + 1, host: { type: "chat_titled", title: "Fork" } });
    await fork.writer?.close();
    assert.deepEqual(
      (await storage.list()).map(({ title }) => title),
      ["Fork", "One"],
    );
    assert.equal((await storage.open("a")).summary.messageCount, 2);
  });

  it("go by their age and size, the removed ones after 30 days, those that are open never", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    for (const id of ["a", "b", "c", "d"]) await writeSession(storage, id, chatLog().run(id));
    await storage.remove("d");
    const open = await folder.storage().open("a");
    const size = await sizeOf(folder.path, "c");
    assert.equal(await storage.prune?.({ maxAgeMs: 1e9, maxBytes: size * 1.5, now: 1_000 }), 1);
    assert.deepEqual(
      (await storage.list()).map(({ id }) => id),
      ["c", "a"],
    );
    await storage.restore("d");
    await storage.remove("d");
    assert.equal(await storage.prune?.({ maxAgeMs: 10, maxBytes: 1e9, now: 31 * 24 * 3_600_000 }), 1);
    assert.deepEqual(
      (await storage.list()).map(({ id }) => id),
      ["a"],
    );
    await assert.rejects(storage.restore("d"), /permanently/);
    await open.writer?.close();
  });

  it("are all deleted, but for those another window has open", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    for (const id of ["a", "b", "c"]) await writeSession(storage, id, chatLog().run(id));
    await storage.remove("c");
    const other = await folder.storage().open("a");
    await assert.rejects(storage.deleteAll(), /open in other windows/);
    assert.deepEqual(
      (await storage.list()).map(({ id }) => id),
      ["a"],
    );
    await other.writer?.close();
    await storage.deleteAll();
    assert.deepEqual(await readdir(folder.path, { recursive: true }), ["removed"]);
  });
});

describe("the index of the sessions", () => {
  it("is made again when it is missing, empty, damaged or out of date", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    await writeSession(storage, "a", titled("One").run("first"));
    const expected = await storage.list();
    const path = join(folder.path, "index.json");
    const whole = await readFile(path, "utf8");
    const lies = whole.replace('"messageCount":1', '"messageCount":"1"');
    const stale = JSON.stringify({
      version: 1,
      sessions: { a: { size: 1, mtimeMs: 1, summary: expected[0] }, gone: { size: 1, mtimeMs: 1 } },
    });
    for (const broken of ["", "{", "[]", whole.slice(0, -5), lies, stale, "\0".repeat(50)]) {
      await writeFile(path, broken);
      assert.deepEqual(await storage.list(), expected);
      assert.equal(await readFile(path, "utf8"), whole);
    }
  });

  it("is not believed of a file that changed, be it as long as before", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    await writeSession(storage, "a", titled("One").run("first"));
    assert.equal((await storage.list())[0]?.title, "One");
    const text = await readFile(fileOf(folder.path, "a"), "utf8");
    await writeFile(fileOf(folder.path, "a"), text.replace('"One"', '"Two"'));
    await utimes(fileOf(folder.path, "a"), 1, 1);
    assert.equal((await storage.list())[0]?.title, "Two");
  });
});

function titled(title: string): ChatLog {
  return chatLog().host({ type: "chat_titled", title });
}

function fileOf(folder: string, id: string): string {
  return join(folder, `${id}.jsonl`);
}

async function sizeOf(folder: string, id: string): Promise<number> {
  return (await readFile(fileOf(folder, id))).length;
}

function isStart(entry: LogEntry): boolean {
  return "agent" in entry && entry.agent.type === "agent_start";
}

/** The root agent reports that its messages are these. */
function toldTranscript(
  { entries }: ChatLog,
  messages: readonly AgentMessage[],
  reason: "initial" | "added",
): LogEntry {
  const last = entries.findLast((entry) => "agent" in entry);
  assert.ok(last !== undefined && "agent" in last);
  const { agent, sessionId, runId } = last.agent;
  const { own, total } = fold(entries).tree.nodes[agent.id] ?? assert.fail();
  const event: EventBody = { type: "transcript", reason, messages: [...messages], own, total };
  const seq = last.seq + 1;
  return { seq, agent: { agent, sessionId, runId, seq, timestamp: 0, ...event } };
}
