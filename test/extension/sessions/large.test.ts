import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { AgentMessage } from "../../../src/agent/types.ts";
import type { SessionStorage } from "../../../src/extension/sessions/session.ts";
import type { LogEntry } from "../../../src/protocol/messages.ts";
import { timeLimitMs, tries } from "../../support/soak.ts";
import { chatLog, fold } from "./support/chatLog.ts";
import { testFolder } from "./support/folder.ts";

const megabytes = tries("largeSessions").numRuns;
/** What opening may cost, in milliseconds of the processor: it stays the same however busy the machine is. */
const mostMs = 2_000;

describe("a session of hundreds of megabytes", function () {
  this.timeout(timeLimitMs(60_000));

  it("opens within two seconds by its last page, and lacks no message when all of it is read", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    const messages = await writeLarge(storage, join(folder.path, "large.jsonl"), megabytes * 1e6);
    const before = process.cpuUsage();
    const startedAt = performance.now();
    const last = await storage.open("large");
    const tookMs = performance.now() - startedAt;
    const { user, system } = process.cpuUsage(before);
    await last.writer?.close();
    const processorMs = (user + system) / 1_000;
    assert.ok(processorMs < mostMs, `It took ${processorMs} ms of the processor.`);
    assert.ok(last.entries.length < 8_000);
    const pages = [last.entries];
    let slowestMs = 0;
    for (let { earlier } = last; earlier !== undefined; ) {
      const pageAt = performance.now();
      const page = await storage.readEarlier("large", earlier);
      slowestMs = Math.max(slowestMs, performance.now() - pageAt);
      pages.unshift(page.entries);
      earlier = page.earlier;
    }
    assert.ok(pages.length > 1);
    assert.deepEqual(
      pages.flatMap(said),
      messages.map(({ id }) => id),
    );
    const { tree } = fold([...(last.stateEntries ?? []), ...last.entries]);
    assert.equal(tree.roots.length, 1);
    const read = await storage.messagesOf("large", "root");
    assert.deepEqual(
      read.map(({ id }) => id),
      messages.map(({ id }) => id),
    );
    if (process.env.ARBOR_SOAK !== undefined) {
      const times = [tookMs, processorMs, slowestMs].map(Math.round);
      console.log(
        `      ${megabytes} MB: opened in ${times[0]} ms (${times[1]} of the processor), a page in up to ${times[2]} ms`,
      );
    }
  });
});

function said(entries: readonly LogEntry[]): string[] {
  return entries.flatMap((entry) =>
    "agent" in entry && entry.agent.type === "message_end" && entry.agent.agent.depth === 0
      ? [entry.agent.message.id]
      : [],
  );
}

/** Runs with sub-agents, now and then rewound, until the file is large enough. Gives what the root agent has at last. */
async function writeLarge(storage: SessionStorage, path: string, bytes: number): Promise<readonly AgentMessage[]> {
  const words = "The quick brown fox jumps over the lazy dog and runs on. ".repeat(60);
  const log = chatLog();
  const writer = await storage.create("large");
  for (let count = 1; count === 1 || statSync(path).size < bytes; count++) {
    const child = [
      { text: words, calls: [{ prints: [words] }, {}] },
      { text: words, calls: [{ prints: [words] }] },
    ];
    log.run(`question ${count}`, [
      { text: words.slice(0, (count * 131) % 3_000), calls: [{ prints: [words], child }] },
      { text: words },
    ]);
    const asked = () => log.messages.filter(({ role }) => role === "user").length;
    if (count % 100 === 0) log.rewind(asked() - 2).undo();
    if (count % 130 === 0) log.rewind(asked() - 1);
    if (count % 300 === 0) log.checkpoint(`So far ${count}.`);
    for (const entry of log.entries.splice(0)) writer.append(entry);
  }
  await writer.close();
  return log.messages;
}
