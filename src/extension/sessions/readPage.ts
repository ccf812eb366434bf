import type { LogEntry } from "../../protocol/messages.ts";
import { carriedLines } from "./carried.ts";
import type { Line } from "./lines.ts";
import { type PageLimits, startOfLastPage } from "./pages.ts";
import { isRead, readEntries } from "./readEntries.ts";
import type { WholeFile } from "./searchFile.ts";
import type { SessionCursor } from "./session.ts";

export interface Page {
  entries: LogEntry[];
  /** From ahead of the page. */
  carried: LogEntry[];
  earlier?: SessionCursor;
}

/** The last page of a session, or the last one ahead of a place in it. */
export async function readPage(whole: WholeFile, limits: PageLimits, before?: SessionCursor): Promise<Page> {
  const end = before?.offset ?? Number.POSITIVE_INFINITY;
  const lines = whole.lines.filter((line) => line.offset < end && isRead(line, whole));
  const start = startOfLastPage(lines, limits);
  const entries = await readEntries(whole, lines.slice(start));
  const first = lines[start];
  if (start === 0 || first === undefined) return { entries, carried: [] };
  const carried = await readEntries(whole, carriedLines(lines.slice(0, start)));
  return { entries, carried, earlier: cursorAt(first) };
}

function cursorAt({ offset, head }: Line): SessionCursor {
  return { seq: head.seq ?? 0, offset };
}
