import assert from "node:assert/strict";
import fc from "fast-check";
import type { LogEntry, TimedEntry } from "../../../src/protocol/messages.ts";
import { timeLimitMs, tries } from "../../support/soak.ts";
import { chatLog, fold } from "./support/chatLog.ts";
import { testFolder } from "./support/folder.ts";
import { logOf, randomChat } from "./support/randomLogs.ts";
import { settled } from "./support/settled.ts";
import { writeSession } from "./support/writeSession.ts";

type Folder = Awaited<ReturnType<typeof testFolder>>;

async function recorded(folder: Folder, id: string, entries: readonly LogEntry[]): Promise<TimedEntry[]> {
  // Snapshots come often, so that there are several segments.
  const storage = folder.storage({ snapshotEvery: { bytes: 2_000, entries: 4, maxShare: 100 } });
  await writeSession(storage, id, { entries });
  const read: TimedEntry[] = [];
  await storage.readAll(id, async (piece) => void read.push(...piece));
  return read;
}

describe("the recording of a session", function () {
  this.timeout(timeLimitMs(60_000));

  it("folds, with the messages of sub-agents, to what the live log folds to, whatever was run, rewound and undone", async () => {
    await using folder = await testFolder();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(randomChat, async (chat) => {
        const entries = logOf(chat);
        const read = await recorded(folder, `chat-${++count}`, entries);
        const live = fold(settled(entries));
        const replayed = fold(read.map(({ entry }) => entry));
        assert.deepEqual(replayed.host, live.host);
        for (const [id, node] of Object.entries(live.tree.nodes)) {
          const { messages, status, children, own, total } = replayed.tree.nodes[id] ?? {};
          assert.deepEqual(
            { messages, status, children, own, total },
            {
              ...{ messages: node.messages, status: node.status, children: node.children },
              ...{ own: node.own, total: node.total },
            },
          );
        }
      }),
      tries("sessions"),
    );
  });

  it("has what a rewind took out, and when each entry was written", async () => {
    await using folder = await testFolder();
    const { entries } = chatLog()
      .run("First", [{ text: "One." }])
      .run("Second", [{ text: "Two." }])
      .rewind(1);
    const read = await recorded(folder, "chat", entries);
    const texts = JSON.stringify(read);
    assert.ok(texts.includes("Second") && texts.includes("Two."));
    assert.ok(read.every(({ at }) => at !== undefined));
    const seqs = read.map(({ entry }) => entry.seq);
    assert.deepEqual(
      seqs,
      [...seqs].sort((a, b) => a - b),
    );
    const before = fold(read.map(({ entry }) => entry).slice(0, -1));
    assert.equal(before.tree.nodes.root?.messages.length, 4);
  });
});
