import { hostEventsWith, hostEventTraits } from "../../protocol/hostEventTraits.ts";
import type { LogEntry } from "../../protocol/messages.ts";
import type { Line } from "./lines.ts";
import { isRead, readEntries } from "./readEntries.ts";
import type { Head } from "./records.ts";
import type { WholeFile } from "./searchFile.ts";
import type { SessionCursor } from "./session.ts";

export interface PageLimits {
  bytes: number;
  entries: number;
}

/** What a panel shows at once with ease, many times over. */
export const pageLimits: PageLimits = { bytes: 4 * 1_024 * 1_024, entries: 4_000 };

/**
 * Where the last page of these lines begins: an index, 0 when they fit into one. It begins with a turn of the root
 * agent, when one is near: none of its calls is under way there.
 */
export function startOfLastPage(lines: readonly Line[], limits: PageLimits): number {
  let bytes = 0;
  let full: number | undefined;
  for (let at = lines.length - 1; at >= 0; at--) {
    bytes += lines[at]?.length ?? 0;
    const share = Math.max(bytes / limits.bytes, (lines.length - at) / limits.entries);
    if (share > 1) full ??= at + 1;
    if (full === undefined) continue;
    if (isStart(lines[at]?.head)) return at;
    // Rather in the middle of a turn than twice the size.
    if (share > 2) return Math.min(full, lines.length - 1);
  }
  return 0;
}

function isStart(head: Head | undefined): boolean {
  return head?.depth === 0 && (head.kind === "turn_start" || head.kind === "agent_start");
}

export interface SessionPage {
  entries: LogEntry[];
  /** From ahead of the page. */
  stateEntries: LogEntry[];
  earlier?: SessionCursor;
}

/** The last page of a session, or the last one ahead of a place in it. */
export async function readPage(whole: WholeFile, limits: PageLimits, before?: SessionCursor): Promise<SessionPage> {
  const end = before?.offset ?? Number.POSITIVE_INFINITY;
  const lines = whole.lines.filter((line) => line.offset < end && isRead(line, whole));
  const start = startOfLastPage(lines, limits);
  const entries = await readEntries(whole, lines.slice(start));
  const first = lines[start];
  if (start === 0 || first === undefined) return { entries, stateEntries: [] };
  const stateEntries = await readEntries(whole, stateLines(lines.slice(0, start)));
  return { entries, stateEntries, earlier: cursorAt(first) };
}

function cursorAt({ offset, head }: Line): SessionCursor {
  return { seq: head.seq ?? 0, offset };
}

const stateEvents = hostEventsWith("isState");
/** What ends something, and what it began with. */
const ends = new Map(Object.entries(hostEventTraits).flatMap(([type, { ends }]) => (ends ? [[type, ends]] : [])));

/**
 * The lines ahead of a page that the state on the page still builds on: what the host said last, what is open, and of
 * the agents that are still at work how they began and what they spent.
 */
function stateLines(before: readonly Line[]): Line[] {
  const stateEntries = new Set([...hostLines(before), ...agentLines(before)]);
  return before.filter((line) => stateEntries.has(line));
}

function hostLines(lines: readonly Line[]): Line[] {
  const current = new Map<string, Line[]>();
  const add = (about: string, line: Line) => current.set(about, [...(current.get(about) ?? []), line]);
  for (const line of lines) {
    const { head } = line;
    if (head.of !== undefined) continue;
    const { kind, key = "" } = head;
    const begun = ends.get(kind);
    if (stateEvents.has(kind)) current.set(`${kind} ${key}`, [line]);
    else if (begun !== undefined) current.delete(`${begun} ${key}`);
    else if (kind === "hunk_decided") add(`approval_requested ${key}`, line);
    else add(key === "" ? `${kind} at ${line.offset}` : `${kind} ${key}`, line);
  }
  return [...current.values()].flat();
}

function agentLines(lines: readonly Line[]): Line[] {
  const { courses, lastUsage } = coursesOf(lines);
  const concerned = new Set(lines.flatMap(({ head }) => (head.depth === 0 && head.of !== undefined ? [head.of] : [])));
  for (const [id, { isOpen }] of courses) if (isOpen) concerned.add(id);
  const offsets = [...concerned].flatMap((id) => lastUsage.get(id)?.offset ?? []);
  const since = offsets.reduce((first, offset) => Math.min(first, offset), Number.POSITIVE_INFINITY);
  // What anybody spent since then adds up in those above it.
  const usages = lines.filter((line) => line.head.kind === "usage" && line.offset >= since);
  for (const { head } of usages) concerned.add(head.of ?? "");
  return [...usages, ...[...concerned].flatMap((id) => courses.get(id)?.lines ?? [])];
}

/** How an agent came to be, how its latest run began, and how that ended. */
interface Course {
  lines: Line[];
  isOpen: boolean;
}

function coursesOf(lines: readonly Line[]) {
  const courses = new Map<string, Course>();
  const lastUsage = new Map<string, Line>();
  const start = (id: string, line: Line) => {
    // The first says what the agent is; later ones don't repeat it.
    const [first = line] = courses.get(id)?.lines ?? [];
    courses.set(id, { lines: first === line ? [line] : [first, line], isOpen: true });
  };
  const end = (id: string, line: Line, isOpen: boolean) => {
    const known = courses.get(id);
    courses.set(id, { lines: [...(known?.lines ?? []), line], isOpen });
  };
  for (const line of lines) {
    const { kind, of = "", key = "" } = line.head;
    if (kind === "usage") lastUsage.set(of, line);
    else if (kind === "agent_start") start(of, line);
    else if (kind === "agent_spawned") start(key, line);
    // Who was spawned may be sent to work again, until it leaves.
    else if (kind === "agent_end") end(of, line, courses.get(of)?.lines[0]?.head.kind === "agent_spawned");
    else if (kind === "agent_exit") end(key, line, false);
  }
  return { courses, lastUsage };
}
