import type { LogEntry } from "../../protocol/messages.ts";
import { parseEntry } from "./entrySchema.ts";
import type { OpenFile } from "./files.ts";
import { isShown, printedFirst } from "./readEntries.ts";

/** What was written to a session since a place in its file. */
export interface NewEntries {
  /** A `transcript` among them has not all of its messages: the file has the others further ahead. */
  entries: LogEntry[];
  /** The place to go on from, in bytes. */
  end: number;
  /** Another process writes to the session. */
  isLive: boolean;
}

/** What is read at a time; the rest comes with the next reading. */
const mostBytes = 8 * 1_024 * 1_024;
const lineEnd = 10;

/** The whole lines behind `from`, without the messages of sub-agents. A file that became shorter has nothing new. */
export async function readNew(file: OpenFile, from: number): Promise<Omit<NewEntries, "isLive">> {
  const size = await file.size();
  if (size <= from) return { entries: [], end: from };
  for (let most = mostBytes; ; most *= 2) {
    const buffer = Buffer.allocUnsafe(Math.min(size - from, most));
    const bytes = buffer.subarray(0, await file.read(buffer, from));
    const whole = bytes.lastIndexOf(lineEnd) + 1;
    // A single line that is longer than what was read is read whole.
    if (whole === 0 && from + bytes.length < size && bytes.length === most) continue;
    return { entries: entriesIn(bytes.subarray(0, whole)), end: from + whole };
  }
}

function entriesIn(lines: Buffer): LogEntry[] {
  const entries: LogEntry[] = [];
  for (let at = 0, next = lines.indexOf(lineEnd); next >= 0; at = next + 1, next = lines.indexOf(lineEnd, at)) {
    if (next === at) continue;
    const entry = parseEntry(lines.subarray(at, next));
    if (entry === undefined || entry === "broken") continue;
    if ("host" in entry) entries.push(entry);
    else if (isShown({ depth: entry.agent.agent.depth, kind: entry.agent.type })) {
      for (const each of printedFirst(entry)) entries.push(each);
    }
  }
  return entries;
}
