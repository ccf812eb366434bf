import assert from "node:assert/strict";
import type { SessionStorage } from "../../../src/extension/sessions/session.ts";
import { chatLog } from "./support/chatLog.ts";
import { testFolder } from "./support/folder.ts";

const entryCount = 20_000;

/** Runs with a sub-agent each, until the log has so many entries that are saved. */
async function writeLong(storage: SessionStorage): Promise<void> {
  const text = "The quick brown fox jumps over the lazy dog. ".repeat(8);
  const child = [{ text, calls: [{ prints: [text] }] }, { text }];
  const log = chatLog();
  const writer = await storage.create("a");
  for (let saved = 0; saved < entryCount; ) {
    log.run("question", [{ text, calls: [{ prints: [text], child }, {}] }, { text }]);
    for (const entry of log.entries.splice(0)) {
      if (!("agent" in entry) || !/update|message_start/.test(entry.agent.type)) saved += 1;
      writer.append(entry);
    }
  }
  await writer.close();
}

/** Of the processor: the same however busy the machine is. */
async function openingMs(storage: SessionStorage): Promise<number> {
  const before = process.cpuUsage();
  const { writer } = await storage.open("a");
  const { user, system } = process.cpuUsage(before);
  await writer?.close();
  return (user + system) / 1_000;
}

describe("opening a session of 20,000 entries", function () {
  this.timeout(60_000);

  it("takes at most half as long with snapshots as without", async () => {
    await using folder = await testFolder();
    await using plain = await testFolder();
    const never = { bytes: Number.POSITIVE_INFINITY, entries: Number.POSITIVE_INFINITY, maxShare: 1 };
    await writeLong(folder.storage());
    await writeLong(plain.storage({ snapshotEvery: never }));
    const [times, plainTimes]: [number[], number[]] = [[], []];
    for (let count = 0; count < 7; count++) {
      times.push(await openingMs(folder.storage()));
      plainTimes.push(await openingMs(plain.storage({ snapshotEvery: never })));
    }
    const [ms, plainMs] = [Math.min(...times), Math.min(...plainTimes)];
    assert.ok(ms <= plainMs / 2, `${Math.round(ms)} ms with snapshots, ${Math.round(plainMs)} ms without`);
  });
});
