import type { LogEntry } from "../../../../src/protocol/messages.ts";
import { chatLog } from "./chatLog.ts";

export const movedIds = ["a", "b", "c"];

/** Runs with sub-agents, rewinds, their undoing and summaries, one after the other; some messages are long. */
export function* endlessLog(): Generator<LogEntry> {
  const log = chatLog();
  let told = 0;
  for (let count = 0; ; count++) {
    log.host({ type: "chat_titled", title: `title ${count}` });
    log.run(`question ${count}`, [
      { text: "Let me see", calls: [{ prints: ["some", "thing"], child: [{ text: "Hm" }] }, { fails: true }] },
      { text: `${count} ${"long ".repeat(count % 4 === 0 ? 100_000 : 10)}`, isCompacted: count % 5 === 4 },
    ]);
    if (count % 3 === 1) log.rewind(1);
    if (count % 6 === 1) log.undo();
    if (count % 7 === 2) log.checkpoint("So far.");
    for (; told < log.entries.length; told++) {
      const entry = log.entries[told];
      if (entry !== undefined) yield entry;
    }
  }
}

/** Its entries up to this number. */
export function logUpTo(seq: number): LogEntry[] {
  const entries: LogEntry[] = [];
  for (const entry of endlessLog()) {
    if (entry.seq > seq) break;
    entries.push(entry);
  }
  return entries;
}
