import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openSession } from "../../../src/extension/chat/restore/openSession.ts";
import { diskFiles, type Files } from "../../../src/extension/common/files.ts";
import type { TimedEntry } from "../../../src/protocol/messages.ts";
import { createReplayLog } from "../../../src/webview/features/replay/replayLog.ts";
import { chatLog, fold } from "./support/chatLog.ts";
import { fault } from "./support/failingFiles.ts";
import { testFolder } from "./support/folder.ts";
import { writeSession } from "./support/writeSession.ts";

const bom = Buffer.from([0xef, 0xbb, 0xbf]);

/** A run with a sub-agent, and a second one. */
function log() {
  return chatLog()
    .host({ type: "chat_titled", title: "Prices" })
    .run("first", [{ text: "Let me see.", calls: [{ child: [{ text: "There are three." }] }] }, { text: "Three." }])
    .run("second", [{ text: "And two taxes." }]);
}

/** A folder with the session "a", written again by `change`; each line without its end. */
async function damagedFolder(change: (lines: string[]) => (string | Buffer)[]) {
  const folder = await testFolder();
  await writeSession(folder.storage(), "a", log());
  const path = join(folder.path, "a.jsonl");
  const lines = (await readFile(path, "utf8")).split("\n").slice(0, -1);
  await writeFile(path, Buffer.concat(change(lines).flatMap((line) => [Buffer.from(line), Buffer.from("\n")])));
  return folder;
}

async function opened(folder: Awaited<ReturnType<typeof testFolder>>) {
  const session = await folder.storage().open("a");
  await session.writer?.close();
  return session;
}

describe("a damaged session", function () {
  this.timeout(60_000);

  it("is reported by the number of all lines that can't be read, wherever they are damaged", async () => {
    const damages: [string, (line: string) => string | Buffer][] = [
      ["cut in the middle", (line) => line.slice(0, -40)],
      ["a bit in its text", (line) => line.replace('"content"', '"conten\u0001')],
      ["a type that no event has", (line) => line.replace('"type":"message_end"', '"type":"message_enc"')],
      ["a field that is missing", (line) => line.replace('"content":', '"contens":')],
      [
        "a block of NULs",
        (line) => Buffer.concat([Buffer.from(line.slice(0, 90)), Buffer.alloc(60), Buffer.from(line.slice(150))]),
      ],
      ["a number that is gone", (line) => line.replace('{"seq":', '{"sex":')],
    ];
    for (const [name, damage] of damages) {
      for (const count of [1, 2, 5]) {
        let left = count;
        await using folder = await damagedFolder((lines) =>
          lines.map((line) => {
            const isHit = left > 0 && line.includes('"type":"message_end"');
            if (!isHit) return line;
            left -= 1;
            return damage(line);
          }),
        );
        const { problems } = await opened(folder);
        const words =
          count === 1
            ? /^1 entry of this chat is damaged\. It is/
            : new RegExp(`^${count} entries of this chat are damaged\\. They`);
        assert.match(problems[0] ?? "", words, name);
        assert.equal(problems.length, 1, name);
      }
    }
  });

  it("is not one that begins with a byte order mark, has other line ends, or both", async () => {
    const changes = [
      (lines: string[]) => [Buffer.concat([bom, Buffer.from(lines[0] ?? "")]), ...lines.slice(1)],
      (lines: string[]) => lines.map((line) => `${line}\r`),
      (lines: string[]) => [
        Buffer.concat([bom, Buffer.from(`${lines[0]}\r`)]),
        ...lines.slice(1).map((line) => `${line}\r`),
      ],
      // Without a header.
      (lines: string[]) => [Buffer.concat([bom, Buffer.from(lines[1] ?? "")]), ...lines.slice(2)],
    ];
    for (const change of changes) {
      await using folder = await damagedFolder(change);
      const { problems, summary, entries } = await opened(folder);
      assert.deepEqual(problems, []);
      assert.deepEqual([summary.title, summary.messageCount], ["Prices", 2]);
      const storage = folder.storage();
      const copies = [await storage.fork("a"), await storage.importFrom(await storage.exportJson("a"))];
      for (const id of copies) {
        const copy = await storage.open(id);
        await copy.writer?.close();
        assert.deepEqual([copy.problems, copy.entries], [[], entries]);
      }
    }
  });

  it("shows under the root agent what belongs to no agent, wherever an id has a wrong byte", async () => {
    const whole = fold(log().entries).tree;
    const [rootId = ""] = whole.roots;
    const childId = whole.nodes[rootId]?.children[0] ?? "";
    await using plain = await damagedFolder((lines) => lines);
    const { length } = (await readFile(join(plain.path, "a.jsonl"), "utf8")).split("\n");
    for (const [id, wrong] of [
      [rootId, "roox"],
      [childId, "agent-X"],
    ] as const) {
      for (let at = 1; at < length - 1; at++) {
        let isHit = false;
        await using folder = await damagedFolder((lines) =>
          lines.map((line, index) => {
            if (index !== at || !line.includes(`"id":"${id}"`)) return line;
            isHit = true;
            return line.replaceAll(`"id":"${id}"`, `"id":"${wrong}"`);
          }),
        );
        if (!isHit) continue;
        const { entries, problems } = await opened(folder);
        const { tree } = fold(entries);
        assert.deepEqual(tree.roots, [rootId], `line ${at}`);
        const said = tree.nodes[rootId]?.messages.map((message) => message.id);
        assert.deepEqual(
          said,
          whole.nodes[rootId]?.messages.map((message) => message.id),
          `line ${at}`,
        );
        if (id === rootId)
          assert.match(problems.join(), /^1 entry of this chat is damaged: it belongs to no agent/, `line ${at}`);
        const ids = Object.keys(tree.nodes);
        const messages = (await Promise.all(ids.map((each) => folder.storage().messagesOf("a", each)))).flat();
        const all = Object.values(whole.nodes).flatMap((node) => node.messages);
        assert.deepEqual(
          new Set(messages.map((message) => message.id)),
          new Set(all.map((message) => message.id)),
          `line ${at}`,
        );
      }
    }
  });

  it("whose agents name a parent that is not there has them under the root agent", async () => {
    await using folder = await damagedFolder((lines) =>
      lines.map((line) => line.replaceAll('"parentId":"root"', '"parentId":"roox"')),
    );
    const { tree } = fold((await opened(folder)).entries);
    assert.deepEqual(tree.roots, ["root"]);
    assert.equal(tree.nodes.root?.children.length, 1);
  });

  it("of which nothing can be read is listed, set aside when it is opened, removed and brought back", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    await writeSession(storage, "good", log());
    const bytes = Buffer.from([0, 255, 10, 7, 200, 10]);
    await writeFile(join(folder.path, "bad.jsonl"), bytes);
    await mkdir(join(folder.path, "unreadable"));
    await writeFile(join(folder.path, "unreadable", "worse.123.jsonl"), "Nothing");
    const listed = async () => (await storage.list()).map(({ id, isDamaged = false }) => `${id} ${isDamaged}`).sort();
    assert.deepEqual(await listed(), ["bad true", "good false", "worse.123 true"]);
    assert.deepEqual(await listed(), ["bad true", "good false", "worse.123 true"], "by the index too");
    assert.deepEqual(await readFile(storage.fileOf("worse.123"), "utf8"), "Nothing");
    await assert.rejects(storage.open("bad"), /can't be read any more. Its file is kept as/);
    const aside = (await readdir(join(folder.path, "unreadable"))).find((name) => name.startsWith("bad.")) ?? "";
    const id = aside.replace(/\.jsonl$/, "");
    assert.deepEqual(await listed(), [`${id} true`, "good false", "worse.123 true"]);
    assert.deepEqual(await readFile(storage.fileOf(id)), bytes);
    await storage.remove(id);
    assert.deepEqual(await listed(), ["good false", "worse.123 true"]);
    await storage.restore(id);
    assert.deepEqual(await readFile(storage.fileOf(id)), bytes);
    await storage.prune?.({ maxAgeMs: 0, maxBytes: 0, now: 1e15 });
    assert.deepEqual(await listed(), [`${id} true`, "worse.123 true"]);
    await storage.deleteAll();
    assert.deepEqual(await listed(), []);
  });

  it("is opened without holding a line of 60 MB, and with reading it twice at most", async () => {
    const words = Buffer.from("word ".repeat(12e6));
    await using folder = await damagedFolder((lines) => [...lines.slice(0, 5), words, ...lines.slice(5)]);
    let largest = 0;
    let total = 0;
    const files: Files = {
      ...diskFiles,
      async openForRead(path) {
        const file = await diskFiles.openForRead(path);
        return {
          ...file,
          read(into, position) {
            largest = Math.max(largest, into.length);
            total += into.length;
            return file.read(into, position);
          },
        };
      },
    };
    const { record, problems, restored } = await openSession(folder.storage({ files }), "a");
    await record?.close();
    assert.ok(largest <= 8 * 1_024 * 1_024, `${largest} bytes at once`);
    assert.ok(total < 2 * words.length, `${total} bytes in all`);
    assert.match(problems.join(), /^1 entry of this chat is damaged\./);
    assert.equal(restored.root?.messages.length, log().messages.length);
  });

  it("is replayed with all that can be read, whichever line is broken", async () => {
    await using plain = await damagedFolder((lines) => lines);
    const { length } = (await readFile(join(plain.path, "a.jsonl"), "utf8")).split("\n");
    const read = async (folder: Awaited<ReturnType<typeof testFolder>>) => {
      const entries: TimedEntry[] = [];
      await folder.storage().readAll("a", async (piece) => void entries.push(...piece));
      return entries;
    };
    const whole = await read(plain);
    for (let at = 0; at < length - 1; at++) {
      for (const damage of [(line: string) => line.slice(0, -40), () => Buffer.alloc(90), () => "{}"]) {
        await using folder = await damagedFolder((lines) =>
          lines.map((line, index) => (index === at ? damage(line) : line)),
        );
        const entries = await read(folder);
        // One record is at most an end with what its call printed.
        assert.ok(entries.length >= whole.length - 2, `line ${at}: ${entries.length} of ${whole.length}`);
        const replay = createReplayLog({ snapshotEvery: 4 });
        replay.add(entries);
        for (let position = 0; position <= replay.count; position++) replay.stateAt(position);
        const { roots, nodes } = replay.stateAt(replay.count).tree;
        assert.deepEqual(roots, ["root"], `line ${at}`);
        const count = nodes.root?.messages.length ?? 0;
        assert.ok(count >= log().messages.length - 1, `line ${at}: ${count} messages`);
      }
    }
  });

  it("that can't be opened is listed as damaged until it can", async () => {
    await using folder = await damagedFolder((lines) => lines);
    const files: Files = {
      ...diskFiles,
      async openForRead() {
        throw fault("EACCES");
      },
    };
    assert.equal((await folder.storage({ files }).list())[0]?.isDamaged, true);
    assert.equal((await folder.storage().list())[0]?.isDamaged, undefined);
  });
});
