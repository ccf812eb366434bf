import assert from "node:assert/strict";
import fc from "fast-check";
import type { SessionStorage, StoredSession } from "../../../src/extension/sessions/session.ts";
import type { LogEntry } from "../../../src/protocol/messages.ts";
import { timeLimitMs, tries } from "../../support/soak.ts";
import { fold, withoutChildrensWords } from "./support/chatLog.ts";
import { testFolder } from "./support/folder.ts";
import { logOf, randomChat } from "./support/randomLogs.ts";
import { settled } from "./support/settled.ts";
import { writeSession } from "./support/writeSession.ts";

/** A few entries to a page. */
const small = { page: { bytes: 4_000, entries: 8 }, snapshotEvery: { bytes: 2_000, entries: 4, maxShare: 100 } };

describe("a session that is read back", function () {
  this.timeout(timeLimitMs(60_000));

  it("folds to what the live log folds to, whatever was run, rewound, undone and summarized", async () => {
    await using folder = await testFolder();
    const storage = folder.storage();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(randomChat, async (chat) => {
        const entries = logOf(chat);
        const id = `chat-${++count}`;
        await writeSession(storage, id, { entries });
        const read = await storage.open(id);
        await read.writer?.close();
        const live = fold(settled(entries));
        assert.deepEqual(withoutChildrensWords(fold(read.entries)), withoutChildrensWords(live));
        for (const { meta, messages } of Object.values(live.tree.nodes)) {
          assert.deepEqual(await storage.messagesOf(id, meta.id), messages);
        }
      }),
      tries("sessions"),
    );
  });

  it("is the same when it was closed and opened again while it was written", async () => {
    await using folder = await testFolder();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(randomChat, fc.array(fc.nat(200), { maxLength: 3 }), async (chat, cuts) => {
        const entries = logOf(chat);
        const id = `chat-${++count}`;
        const bounds = [...cuts.map((cut) => cut % entries.length).sort((a, b) => a - b), entries.length];
        // What a call has printed is with its end, which the same writer has to see.
        const parts = settled(entries).filter(
          (entry) => !("agent" in entry) || entry.agent.type !== "tool_execution_update",
        );
        let written = 0;
        for (const bound of bounds) {
          const storage = folder.storage(small);
          const writer = written === 0 ? await storage.create(id) : (await storage.open(id)).writer;
          for (; (parts[written]?.seq ?? Number.POSITIVE_INFINITY) <= bound; written++) {
            const entry = parts[written];
            if (entry !== undefined) writer?.append(entry);
          }
          await writer?.close();
        }
        const storage = folder.storage();
        const read = await storage.open(id);
        await read.writer?.close();
        const live = fold(parts);
        assert.deepEqual(withoutChildrensWords(fold(read.entries)), withoutChildrensWords(live));
        for (const { meta, messages } of Object.values(live.tree.nodes)) {
          assert.deepEqual(await storage.messagesOf(id, meta.id), messages);
        }
      }),
      tries("sessions"),
    );
  });

  it("loses nothing in pages, and each page knows the state it builds on", async () => {
    await using folder = await testFolder();
    const storage = folder.storage(small);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(randomChat, async (chat) => {
        const entries = logOf(chat);
        const id = `chat-${++count}`;
        await writeSession(storage, id, { entries });
        const read = await storage.open(id);
        await read.writer?.close();
        const live = withoutChildrensWords(fold(settled(entries)));
        const pages = await allPages(storage, id, read);
        assert.deepEqual(withoutChildrensWords(fold(pages.flat())), live);
        for (const { meta, messages } of Object.values(fold(settled(entries)).tree.nodes)) {
          assert.deepEqual(await storage.messagesOf(id, meta.id), messages);
        }
        const { tree, host } = withoutChildrensWords(fold([...(read.stateEntries ?? []), ...read.entries]));
        assert.deepEqual(host, live.host);
        assert.deepEqual(tree.roots, live.tree.roots);
        for (const id of tree.roots) {
          const { messages, tools, children, meta, ...rest } = tree.nodes[id] ?? assert.fail();
          const {
            messages: all,
            tools: _,
            children: __,
            meta: ___,
            ...expected
          } = live.tree.nodes[id] ?? assert.fail();
          assert.deepEqual(rest, expected);
          assert.deepEqual(messages, all.slice(all.length - messages.length));
        }
        for (const [id, node] of Object.entries(live.tree.nodes)) {
          const shown = tree.nodes[id];
          if (node.status === "running") assert.deepEqual(shown?.total, node.total);
          if (shown !== undefined) assert.deepEqual([shown.status, shown.meta], [node.status, node.meta]);
        }
      }),
      tries("sessions"),
    );
  });
});

async function allPages(storage: SessionStorage, id: string, last: StoredSession): Promise<LogEntry[][]> {
  const pages = [last.entries];
  let { earlier } = last;
  while (earlier !== undefined) {
    const page = await storage.readEarlier(id, earlier);
    assert.ok(page.entries.length > 0);
    pages.unshift(page.entries);
    earlier = page.earlier;
  }
  return pages;
}
