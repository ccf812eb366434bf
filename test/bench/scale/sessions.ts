import { statSync } from "node:fs";
import { join } from "node:path";
import { emptyTree, foldTree } from "../../../src/agent/tree.ts";
import type { LogEntry } from "../../../src/protocol/messages.ts";
import { chatLog } from "../../extension/sessions/support/chatLog.ts";
import { testFolder } from "../../extension/sessions/support/folder.ts";
import { measured, type Taken } from "./measured.ts";

interface Length {
  /** Of the question and each result. */
  words: number;
  isLongEnough(written: { events: number; bytes: number }): boolean;
  /** What is counted of it. */
  unit: "events" | "megabytes";
}

/** Opening a session by its last page and reading all pages before it, all of which are folded. */
export async function timeSession({ words, isLongEnough, unit }: Length): Promise<Taken> {
  await using folder = await testFolder();
  const storage = folder.storage();
  const written = { events: 0, bytes: 0 };
  const log = chatLog();
  const writer = await storage.create("session");
  const file = join(folder.path, "session.jsonl");
  const text = "The quick brown fox jumps over the lazy dog. ".repeat(words).slice(0, 5 * words);
  for (let turn = 0; !isLongEnough(written); turn++) {
    const child = [{ text, calls: [{ prints: [text] }] }];
    log.run(`question ${turn}`, [{ text, calls: [{ prints: [text], child }] }, { text }]);
    const entries = log.entries.splice(0);
    written.events += entries.length;
    for (const entry of entries) writer.append(entry);
    // What is written goes to the file now and then; to ask for its size each time would take longer than that.
    if (turn % 50 === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      written.bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    }
  }
  await writer.close();
  written.bytes = statSync(file).size;
  return await measured(async () => {
    const last = await storage.open("session");
    const pages: (readonly LogEntry[])[] = [last.entries];
    for (let { earlier } = last; earlier !== undefined; ) {
      const page = await storage.readEarlier("session", earlier);
      pages.unshift(page.entries);
      earlier = page.earlier;
      await new Promise((resolve) => setImmediate(resolve));
    }
    let tree = emptyTree();
    for (const page of pages) {
      tree = foldTree(
        tree,
        page.flatMap((entry) => ("agent" in entry ? [entry.agent] : [])),
      );
      await new Promise((resolve) => setImmediate(resolve));
    }
    await last.writer?.close();
    return { units: unit === "events" ? written.events : written.bytes / 1e6, result: tree };
  });
}
