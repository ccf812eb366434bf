import assert from "node:assert/strict";
import { appendFile, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JsonlSessionStore } from "../../../src/agent/session/jsonl.ts";
import { MemorySessionStore } from "../../../src/agent/session/memory.ts";
import type { Chapter, SessionStore } from "../../../src/agent/session/store.ts";
import { textOf } from "../../../src/agent/vocabulary/messages.ts";
import { user } from "../../support/events.ts";
import { summary } from "../../support/messages.ts";

describe("session stores", () => {
  let dir = "";
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "sessions-"));
  });
  afterEach(() => rm(dir, { recursive: true }));
  const path = () => join(dir, "chats", "one.jsonl");

  const stores: [string, () => Promise<SessionStore>][] = [
    ["in memory", async () => new MemorySessionStore()],
    ["in a file", () => JsonlSessionStore.open(path())],
  ];
  for (const [where, open] of stores) {
    it(`E47: a session ${where} gives every message an ascending id, across its agents`, async () => {
      const store = await open();
      const ids = [];
      for (const [agent, text] of ["ma", "wb", "mc"]) ids.push(await store.append(agent ?? "", user("u", text ?? "")));
      assert.deepEqual(ids, [1, 2, 3]);
      assert.deepEqual(texts(await store.list()), ["a", "b", "c"]);
      assert.deepEqual(texts(await store.list({ agentId: "m" })), ["a", "c"]);
      assert.deepEqual(texts(await store.list({ agentId: "m", from: 2 })), ["c"]);
    });

    it(`E47: a session ${where} hands out copies of its list`, async () => {
      const store = await open();
      await store.append("m", user("u", "a"));
      (await store.list()).pop();
      assert.equal((await store.list()).length, 1);
    });

    it(`E49: a session ${where} forgets a row and all after it, of every agent, and gives no id twice`, async () => {
      const store = await open();
      for (const agent of ["m", "w", "m"]) await store.append(agent, user("u", agent));
      await store.truncateFrom(2);
      assert.deepEqual(texts(await store.list()), ["m"]);
      assert.equal(await store.append("m", user("u", "next")), 4);
    });

    it(`E50: a session ${where} keeps its own data, key by key`, async () => {
      const store = await open();
      await store.setMeta({ usage: "1", title: "a" });
      await store.setMeta({ usage: "2" });
      assert.deepEqual(await store.getMeta(), { usage: "2", title: "a" });
    });

    it(`E56: a session ${where} is read from its latest checkpoint, then chapter by chapter before it`, async () => {
      const store = await open();
      for (const message of [
        user("1", "a"),
        summary("s1", "S1"),
        user("2", "b"),
        summary("s2", "S2"),
        user("3", "c"),
      ]) {
        await store.append("m", message);
      }
      const chapters: (Chapter | undefined)[] = [await store.latestChapter()];
      for (let last = chapters[0]; last?.before !== undefined; last = chapters.at(-1)) {
        chapters.push(await store.chapterBefore(last.before));
      }
      assert.deepEqual(
        chapters.map((chapter) => [texts(chapter?.rows ?? []), chapter?.before]),
        [
          [["S2", "c"], 4],
          [["S1", "b"], 2],
          [["a"], undefined],
        ],
      );
    });

    it(`E56: a session ${where} without checkpoint is one chapter, and before its first row there is none`, async () => {
      const store = await open();
      const first = await store.append("m", user("1", "a"));
      assert.deepEqual(await store.latestChapter("m"), { rows: await store.list(), before: undefined });
      assert.equal(await store.chapterBefore(first), undefined);
    });

    it(`E56: a chapter ${where} of one agent ignores the checkpoints of the others`, async () => {
      const store = await open();
      await store.append("m", user("1", "a"));
      await store.append("w", summary("s", "S"));
      await store.append("m", user("2", "b"));
      assert.deepEqual(texts((await store.latestChapter("m")).rows), ["a", "b"]);
    });
  }

  it("E47: a session file opened again has its messages, ids and meta", async () => {
    const store = await JsonlSessionStore.open(path());
    await Promise.all([
      store.append("m", user("1", "a")),
      store.append("w", user("2", "b")),
      store.setMeta({ k: "v" }),
    ]);
    await store.close();
    const again = await JsonlSessionStore.open(path());
    assert.deepEqual(texts(await again.list()), ["a", "b"]);
    assert.deepEqual(await again.getMeta(), { k: "v" });
    assert.equal(await again.append("m", user("3", "c")), 3);
  });

  it("E49: a truncation is in the file too", async () => {
    const store = await JsonlSessionStore.open(path());
    for (const text of ["a", "b", "c"]) await store.append("m", user(text, text));
    await store.truncateFrom(2);
    await store.append("m", user("d", "d"));
    await store.close();
    assert.deepEqual(texts(await (await JsonlSessionStore.open(path())).list()), ["a", "d"]);
    assert.ok(!(await readFile(path(), "utf8")).includes('"b"'));
  });

  it("reads a file whose last line a crash tore, and writes on behind it", async () => {
    const store = await JsonlSessionStore.open(path());
    await store.append("m", user("1", "a"));
    await store.append("m", user("2", "b"));
    const whole = await readFile(path(), "utf8");
    await writeFile(path(), whole.slice(0, -20));
    const torn = await JsonlSessionStore.open(path());
    assert.deepEqual(texts(await torn.list()), ["a"]);
    await torn.append("m", user("3", "c"));
    assert.deepEqual(texts(await (await JsonlSessionStore.open(path())).list()), ["a", "c"]);
  });

  it("keeps records it does not know, also when it writes the file again", async () => {
    const store = await JsonlSessionStore.open(path());
    await store.append("m", user("1", "a"));
    const later = '{"type":"bookmark","at":1}';
    await appendFile(path(), `${later}\n`);
    const again = await JsonlSessionStore.open(path());
    await again.append("m", user("2", "b"));
    await again.truncateFrom(2);
    assert.ok((await readFile(path(), "utf8")).split("\n").includes(later));
    assert.deepEqual(texts(await again.list()), ["a"]);
  });

  it("starts a new line after a write that failed", async () => {
    const store = await JsonlSessionStore.open(path());
    await store.append("m", user("1", "a"));
    const whole = await readFile(path(), "utf8");
    await rm(path());
    await rm(join(dir, "chats"), { recursive: true });
    await assert.rejects(store.append("m", user("2", "lost")));
    const reopened = await JsonlSessionStore.open(path());
    await writeFile(path(), `${whole}{"type":"mess`);
    await store.append("m", user("3", "c"));
    await reopened.close();
    assert.deepEqual(texts(await (await JsonlSessionStore.open(path())).list()), ["a", "c"]);
  });

  it("E47: two stores on one file give no id twice, and each sees what the other wrote", async () => {
    const [one, two] = [await JsonlSessionStore.open(path()), await JsonlSessionStore.open(path())];
    const appended = Array.from({ length: 20 }, (_, at) =>
      (at % 2 === 0 ? one : two).append(at % 2 === 0 ? "a" : "b", user(`u${at}`, String(at))),
    );
    const ids = await Promise.all(appended);
    assert.deepEqual(
      ids.toSorted((a, b) => a - b),
      Array.from({ length: 20 }, (_, at) => at + 1),
    );
    assert.deepEqual(await one.list(), await two.list());
    await one.setMeta({ title: "both" });
    assert.deepEqual(await two.getMeta(), { title: "both" });
    await one.truncateFrom(5);
    assert.equal((await two.list()).length, 4);
    assert.equal(await two.append("b", user("next", "next")), 21);
    const reopened = await JsonlSessionStore.open(path());
    assert.deepEqual(await reopened.list(), await one.list());
    await reopened.truncateFrom(2);
    assert.equal(await (await JsonlSessionStore.open(path())).append("c", user("c", "c")), 22);
  });

  it("goes on after a process that ended while it held the file", async () => {
    const store = await JsonlSessionStore.open(path());
    await writeFile(`${path()}.lock`, "");
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(`${path()}.lock`, longAgo, longAgo);
    assert.equal(await store.append("m", user("1", "a")), 1);
  });

  it("refuses writes once it is closed", async () => {
    const store = await JsonlSessionStore.open(path());
    await store.close();
    await assert.rejects(store.append("m", user("1", "a")), { code: "scope_closed" });
  });
});

function texts(rows: { message: Parameters<typeof textOf>[0] }[]): string[] {
  return rows.map((row) => textOf(row.message));
}
