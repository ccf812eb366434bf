import assert from "node:assert/strict";
import type { LogEntry } from "../../../src/protocol/messages.ts";
import { type ChatLog, chatLog } from "./support/chatLog.ts";
import { testFolder } from "./support/folder.ts";
import { writeSession } from "./support/writeSession.ts";

const limits = { bytes: 100_000, entries: 10 };

async function lastPage(log: ChatLog, page = limits) {
  await using folder = await testFolder();
  const storage = folder.storage({ page, snapshotEvery: { ...page, maxShare: 100 } });
  await writeSession(storage, "a", log);
  const { entries, earlier, writer } = await storage.open("a");
  await writer?.close();
  return { entries, hasEarlier: earlier !== undefined };
}

function runs(count: number, words = "Hm"): ChatLog {
  const log = chatLog();
  for (let at = 0; at < count; at++) log.run(`question ${at}`, [{ text: words }]);
  return log;
}

function isTurnStart(entry: LogEntry | undefined): boolean {
  return entry !== undefined && "agent" in entry && ["turn_start", "agent_start"].includes(entry.agent.type);
}

describe("the last page of a session", () => {
  it("is all of it when that fits", async () => {
    assert.equal((await lastPage(runs(1))).hasEarlier, false);
  });

  it("begins with a turn that is near, by size and by number", async () => {
    for (const [words, page] of [
      ["Hm", limits],
      ["word ".repeat(500), { bytes: 8_000, entries: 1_000 }],
    ] as const) {
      const { entries, hasEarlier } = await lastPage(runs(30, words), page);
      assert.ok(hasEarlier && isTurnStart(entries[0]));
      assert.ok(entries.length <= 3 * limits.entries);
    }
  });

  it("begins in the middle of a turn that is longer than two pages", async () => {
    const calls = Array.from({ length: 50 }, () => ({}));
    const { entries, hasEarlier } = await lastPage(chatLog().run("first", [{ text: "Look.", calls }]));
    assert.ok(hasEarlier && !isTurnStart(entries[0]));
    assert.ok(entries.length <= 3 * limits.entries);
  });

  it("has at least one entry, however long that is", async () => {
    const { entries } = await lastPage(runs(5, "word ".repeat(500)), { bytes: 10, entries: 1 });
    assert.ok(entries.length > 0);
  });
});
