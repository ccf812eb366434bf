import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { snapshotStart } from "../../../src/extension/sessions/records.ts";
import { timeLimitMs, tries } from "../../support/soak.ts";
import { chatLog, fold, withoutChildrensWords } from "./support/chatLog.ts";
import { testFolder } from "./support/folder.ts";
import { logOf, randomChat } from "./support/randomLogs.ts";
import { settled } from "./support/settled.ts";
import { writeSession } from "./support/writeSession.ts";

const often = { snapshotEvery: { bytes: 2_000, entries: 4, maxShare: 100 } };
const isSnapshot = (line: string) => line.startsWith(snapshotStart);

/** What may happen to a snapshot, and how many damaged lines are counted then. */
const damages: Record<string, { change(line: string, earlier: string): string | undefined; count: number }> = {
  "a damaged byte": { change: (line) => line.replace('"state":', '"stat\u0001":'), count: 1 },
  "a cut line": { change: (line) => line.slice(0, -20), count: 1 },
  "a field that is missing": { change: (line) => line.replace('"unfinished":', '"unfinishee":'), count: 1 },
  "another checksum": { change: (line) => line.replace('{"crc":', '{"crc":1'), count: 0 },
  "an older snapshot in its place": { change: (_line, earlier) => earlier, count: 0 },
  "no snapshot": { change: () => undefined, count: 0 },
};

async function readLines(path: string): Promise<string[]> {
  return (await readFile(path, "utf8")).split("\n").slice(0, -1);
}

async function opened(folder: Awaited<ReturnType<typeof testFolder>>, id: string) {
  const storage = folder.storage(often);
  const session = await storage.open(id);
  await session.writer?.close();
  return { ...session, storage };
}

describe("a snapshot in a session's file", function () {
  this.timeout(timeLimitMs(60_000));

  for (const [name, { change, count }] of Object.entries(damages)) {
    it(`only repeats what the records say: nothing is lost by ${name}`, async () => {
      await using folder = await testFolder();
      let files = 0;
      await fc.assert(
        fc.asyncProperty(randomChat, fc.nat(), async (chat, which) => {
          const entries = logOf(chat);
          const id = `chat-${++files}`;
          await writeSession(folder.storage(often), id, { entries });
          const path = join(folder.path, `${id}.jsonl`);
          const lines = await readLines(path);
          const snapshots = lines.flatMap((line, at) => (isSnapshot(line) ? [at] : []));
          fc.pre(snapshots.length > 1);
          const position = 1 + (which % (snapshots.length - 1));
          const [hit = 0, earlier = 0] = [snapshots[position], snapshots[position - 1]];
          const changed = lines.flatMap((line, at) =>
            at === hit ? (change(line, lines[earlier] ?? "") ?? []) : [line],
          );
          await writeFile(path, `${changed.join("\n")}\n`);
          const { entries: read, problems, summary, storage } = await opened(folder, id);
          assert.equal(problems.length, count, problems.join());
          const live = fold(settled(entries));
          assert.deepEqual(withoutChildrensWords(fold(read)), withoutChildrensWords(live));
          for (const { meta, messages } of Object.values(live.tree.nodes)) {
            assert.deepEqual(await storage.messagesOf(id, meta.id), messages);
          }
          assert.equal(summary.isInterrupted, Object.values(live.tree.nodes).some(isRunningRoot));
        }),
        tries("sessions"),
      );
    });
  }

  it("that is cut off wherever is left out, and another one is written", async () => {
    await using folder = await testFolder();
    const log = chatLog().run("first").run("second").run("third");
    await writeSession(folder.storage(often), "a", log);
    const lines = await readLines(join(folder.path, "a.jsonl"));
    const last = lines.findLastIndex(isSnapshot);
    const ahead = `${lines.slice(0, last).join("\n")}\n`;
    await writeFile(join(folder.path, "whole.jsonl"), ahead);
    const expected = (await opened(folder, "whole")).entries;
    const snapshot = lines[last] ?? "";
    for (let length = 1; length < snapshot.length; length += 7) {
      const path = join(folder.path, `cut-${length}.jsonl`);
      await writeFile(path, ahead + snapshot.slice(0, length));
      const { entries, problems } = await opened(folder, `cut-${length}`);
      assert.deepEqual(entries, expected);
      assert.match(problems.join(), /^The last entry of this chat was cut off/);
      assert.equal(await readFile(path, "utf8"), ahead);
    }
  });

  it("hides no damage: each damaged record ahead of it is counted, and the others are read", async () => {
    await using folder = await testFolder();
    const log = chatLog().host({ type: "chat_titled", title: "One" });
    for (let count = 0; count < 10; count++) log.run(`question ${count}`);
    await writeSession(folder.storage(often), "a", log);
    const lines = await readLines(join(folder.path, "a.jsonl"));
    assert.ok(lines.filter(isSnapshot).length > 5);
    const messages = log.messages.map(({ id }) => id);
    for (const [at, line] of lines.entries()) {
      if (!line.includes('"type":"message_end"')) continue;
      // As long as before, so that nothing else moves.
      const damaged = lines.with(at, line.replace('"type":"message_end"', '"type":"message_enc"'));
      await writeFile(join(folder.path, "b.jsonl"), `${damaged.join("\n")}\n`);
      const { problems, storage, summary } = await opened(folder, "b");
      assert.match(problems.join(), /^1 entry of this chat is damaged\./);
      const left = (await storage.messagesOf("b", "root")).map(({ id }) => id);
      assert.equal(left.length, messages.length - 1);
      assert.deepEqual(
        left,
        messages.filter((id) => left.includes(id)),
      );
      assert.equal(summary.title, "One");
    }
  });

  it("behind damage hides none of it, after the session was written on either", async () => {
    const log = chatLog().run("first").run("second");
    const { length } = log.entries;
    for (let count = 0; count < 5; count++) log.run(`more ${count}`);
    for (const damage of [
      (line: string) => line.slice(0, -20),
      (line: string) => line.replace('"id":"root"', '"id":"roox"'),
    ]) {
      await using folder = await testFolder();
      await writeSession(folder.storage(), "a", { entries: log.entries.slice(0, length) });
      const path = join(folder.path, "a.jsonl");
      const lines = await readLines(path);
      const hit = lines.findIndex((line) => line.includes('"type":"turn_end"'));
      await writeFile(path, `${lines.with(hit, damage(lines[hit] ?? "")).join("\n")}\n`);
      const { writer } = await folder.storage(often).open("a");
      for (const entry of log.entries.slice(length)) writer?.append(entry);
      await writer?.close();
      assert.ok((await readLines(path)).filter(isSnapshot).length > 3);
      const { problems, entries } = await opened(folder, "a");
      assert.match(problems.join(), /^1 entry of this chat is damaged/);
      assert.deepEqual(fold(entries).tree.nodes.root, fold(settled(log.entries)).tree.nodes.root);
    }
  });

  it("stays valid in a copy, an export and an import", async () => {
    await using folder = await testFolder();
    const storage = folder.storage(often);
    const log = chatLog().run("first").run("second").rewind(1).run("third").run("fourth");
    await writeSession(storage, "a", log);
    const ids = [await storage.fork("a"), await storage.importFrom(await storage.exportJson("a"))];
    const expected = await opened(folder, "a");
    assert.ok(expected.earlier === undefined);
    for (const id of ids) {
      const { entries, problems } = await opened(folder, id);
      assert.deepEqual([entries, problems], [expected.entries, []]);
      assert.deepEqual(await storage.messagesOf(id, "root"), log.messages);
    }
    const turn = log.entries.findLast((entry) => "agent" in entry && entry.agent.type === "agent_start");
    const part = await storage.fork("a", turn?.seq);
    assert.equal((await opened(folder, part)).lastSeq, (turn?.seq ?? 0) - 1);
  });

  it("goes with no import, nor does what the user allowed in the chat, or how much its agents may use", async () => {
    await using folder = await testFolder();
    const storage = folder.storage(often);
    const grant = { id: "g", kind: "command", scope: "session", text: "npm test" } as const;
    const log = chatLog()
      .run("first")
      .host({ type: "budget_changed", target: { scope: "tree" }, limits: { turns: 5_000 } })
      .host({ type: "grants_changed", grants: [grant] })
      .run("second")
      .run("third");
    await writeSession(storage, "a", log);
    const isDecision = (line: string) => /"(?:budget_changed|grants_changed)"/.test(line);
    const original = await readLines(join(folder.path, "a.jsonl"));
    assert.ok(original.filter(isDecision).length >= 2 && original.some(isSnapshot));
    const id = await storage.importFrom(await storage.exportJson("a"));
    const copied = await readLines(join(folder.path, `${id}.jsonl`));
    assert.deepEqual(
      copied.filter((line) => isDecision(line) || isSnapshot(line)),
      [],
    );
    assert.deepEqual(await storage.messagesOf(id, "root"), log.messages);
  });

  it("has an answer that is under way as far as it was saved", async () => {
    await using folder = await testFolder();
    const { entries } = chatLog().run("first", [{ text: "x".repeat(3_000), calls: [{ child: [{ text: "Hm" }] }] }]);
    const started = entries.findIndex((entry) => "agent" in entry && entry.agent.type === "message_update");
    const due: (() => void)[] = [];
    const later = (run: () => void) => {
      due.push(run);
      return { dispose: () => {} };
    };
    const writer = await folder.storage({ ...often, later }).create("a");
    for (const entry of entries.slice(0, started + 5)) writer.append(entry);
    for (const run of due.splice(0)) run();
    // A snapshot is due, while the answer goes on.
    const seq = (entries[started + 4]?.seq ?? 0) + 1;
    for (let count = 0; count < 20; count++) {
      writer.append({ seq: seq + count, host: { type: "chat_titled", title: `Title ${count}` } });
    }
    await writer.close();
    const lines = await readLines(join(folder.path, "a.jsonl"));
    assert.ok(lines.findLastIndex(isSnapshot) > lines.findIndex((line) => line.includes('"growing":')));
    const { unfinished = [] } = await opened(folder, "a");
    assert.deepEqual(
      unfinished.map(({ events }) => events.map(({ type }) => type)),
      [["message_start", "message_update"]],
    );
  });
});

function isRunningRoot({ meta, status }: { meta: { depth: number }; status: string }): boolean {
  return meta.depth === 0 && status === "running";
}
