import assert from "node:assert/strict";
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ChatLog, chatLog, fold } from "./support/chatLog.ts";
import { testFolder } from "./support/folder.ts";
import { writeSession } from "./support/writeSession.ts";

describe("the file of a session", function () {
  this.timeout(20_000);

  it("keeps what a later version wrote through fork, export and import, byte for byte", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    await writeSession(storage, "a", titled("One").run("first"));
    const path = fileOf(folder.path, "a");
    const lines = (await readFile(path, "utf8")).split("\n");
    const header = JSON.stringify({ ...JSON.parse(lines[0] ?? ""), version: 9, theme: "dark" });
    const later = [
      '{"seq":7000,"kind":"bookmark","bookmark":{"at":  1.50}}',
      '{"kind":"without number", "x":[1 ,2]}',
      '{"seq":7001,"at":5,"kind":"vote_cast","host":{"type":"vote_cast","stars":5.0}}',
    ];
    await writeFile(path, [header, ...lines.slice(1, -1), ...later, ""].join("\n"));
    const { problems, summary, writer } = await storage.open("a");
    assert.match(problems.join(), /newer version/);
    assert.equal(summary.messageCount, 1);
    await writer?.close();
    const fork = await storage.fork("a");
    const copy = await storage.importFrom(await storage.exportJson(fork));
    for (const id of [fork, copy]) {
      const [first = "", ...rest] = (await readFile(fileOf(folder.path, id), "utf8")).split("\n");
      assert.deepEqual(rest, [...lines.slice(1, -1), ...later, ""]);
      assert.partialDeepStrictEqual(JSON.parse(first), { id, version: 9, theme: "dark" });
    }
  });

  it("is read without its header, and written on", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    const log = titled("Old")
      .run("first", [{ text: "Hm", calls: [{ child: [{ text: "Yes" }] }] }])
      .run("second")
      .rewind(1);
    await writeSession(storage, "a", log);
    const [, ...lines] = (await readFile(fileOf(folder.path, "a"), "utf8")).split("\n");
    await writeFile(fileOf(folder.path, "a"), lines.join("\n"));
    const { entries, summary, writer, problems, lastSeq } = await storage.open("a");
    assert.deepEqual(problems, []);
    assert.partialDeepStrictEqual(summary, { title: "Old", messageCount: 1, isInterrupted: false });
    assert.deepEqual(fold(entries).tree.nodes.root, fold(log.entries).tree.nodes.root);
    log.run("third");
    for (const entry of log.entries.slice(lastSeq)) writer?.append(entry);
    await writer?.close();
    const again = await storage.open("a");
    assert.deepEqual(fold(again.entries).tree.nodes.root, fold(log.entries).tree.nodes.root);
    assert.equal(again.summary.cost, fold(log.entries).tree.nodes.root?.total.cost);
  });

  it("loses only its last line when that was cut off, wherever", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    await writeSession(storage, "a", titled("Öne").run("first"));
    const whole = await readFile(fileOf(folder.path, "a"));
    const before = (await storage.open("a")).entries;
    const last = whole.lastIndexOf("\n", whole.length - 2) + 1;
    for (let length = last + 1; length < whole.length - 1; length++) {
      const id = `cut-${length}`;
      await writeFile(fileOf(folder.path, id), whole.subarray(0, length));
      const { entries, problems, writer } = await storage.open(id);
      assert.deepEqual(entries, before.slice(0, -1));
      assert.match(problems.join(), /cut off/);
      await writer?.close();
      assert.deepEqual(await readFile(fileOf(folder.path, id)), whole.subarray(0, last));
    }
  });

  it("keeps a last record that lacks nothing but its line end", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    const log = titled("One").run("first");
    await writeSession(storage, "a", log);
    const whole = await readFile(fileOf(folder.path, "a"));
    await writeFile(fileOf(folder.path, "b"), whole.subarray(0, -1));
    const { entries, problems, writer, lastSeq } = await storage.open("b");
    assert.deepEqual([entries.length, problems], [(await storage.open("a")).entries.length, []]);
    writer?.append({ seq: lastSeq + 1, host: { type: "chat_titled", title: "Two" } });
    await writer?.close();
    assert.equal((await storage.open("b")).summary.title, "Two");
  });

  it("is read around lines that are damaged, and keeps them", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    await writeSession(storage, "a", titled("One").run("first"));
    await appendFile(fileOf(folder.path, "a"), '{"seq": dam\u0000aged\n');
    const { problems, summary, writer, lastSeq } = await storage.open("a");
    assert.match(problems.join(), /1 entry of this chat is damaged/);
    assert.equal(summary.messageCount, 1);
    writer?.append({ seq: lastSeq + 1, host: { type: "chat_titled", title: "Two" } });
    await writer?.close();
    assert.match(await readFile(fileOf(folder.path, "a"), "utf8"), /dam\0aged\n/);
  });

  it("is kept aside when nothing of it can be read", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    await storage.list();
    const bytes = Buffer.from([0, 255, 10, 7, 200, 10]);
    await writeFile(fileOf(folder.path, "a"), bytes);
    assert.equal((await storage.list())[0]?.isDamaged, true);
    await assert.rejects(storage.open("a"), /can't be read any more. Its file is kept as/);
    const [name = ""] = await readdir(join(folder.path, "unreadable"));
    assert.deepEqual(await readFile(join(folder.path, "unreadable", name)), bytes);
  });

  it("is imported only when all of it is whole", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    await writeSession(storage, "a", titled("One").run("first"));
    const text = await storage.exportJson("a");
    for (const bad of [
      "",
      "{}",
      "<html>",
      text.slice(0, -20),
      '{"format":"arbor-session","version":1}\n',
      "null\n[1]",
    ]) {
      await assert.rejects(storage.importFrom(bad), /not a complete chat/);
    }
    assert.equal((await storage.open(await storage.importFrom(text))).summary.title, "One");
  });

  it("knows no way out of its folder", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    for (const id of ["../x", "a/b", "a\\b", "", ".", "x".repeat(200), "a\0"]) {
      await assert.rejects(storage.open(id), /not the ID of a chat/);
      await assert.rejects(storage.remove(id), /not the ID of a chat/);
    }
  });
});

function titled(title: string): ChatLog {
  return chatLog().host({ type: "chat_titled", title });
}

function fileOf(folder: string, id: string): string {
  return join(folder, `${id}.jsonl`);
}
