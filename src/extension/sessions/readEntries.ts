import type { AgentEvent, AgentMessage } from "../../agent/types.ts";
import type { LogEntry } from "../../protocol/messages.ts";
import type { OpenFile } from "../common/files.ts";
import { type CurrentMessages, currentNumbers, isAnyCurrent, isCurrentNumber, numbersOf } from "./currentMessages.ts";
import { parseEntry } from "./entrySchema.ts";
import { type Line, readSessionLines } from "./lines.ts";
import { type Links, linked, strayEvents } from "./links.ts";
import type { Head, Tail } from "./records.ts";

/** What of a sub-agent's events the tree needs; its messages and calls are read when somebody looks at it. */
const shownOfChildren = new Set(["agent_start", "agent_end", "usage", "transcript", "agent_spawned", "agent_exit"]);

export function isShown({ depth, kind }: Pick<Head, "depth" | "kind">): boolean {
  return depth === undefined || depth === 0 || shownOfChildren.has(kind);
}

/** A session's file, searched but not parsed. */
export interface SearchedFile {
  file: OpenFile;
  lines: readonly Line[];
  /** Of the agents at depth 0. */
  currentByAgent: ReadonlyMap<string, CurrentMessages>;
  links: Links;
}

/** Whether a line stands for entries of the log as it is read back: without what a rewind took out. */
export function isRead(line: Line, { currentByAgent, links }: SearchedFile): boolean {
  const { head } = line;
  if (links.strays.has(line)) return true;
  const current = head.of === undefined ? undefined : currentByAgent.get(head.of);
  if (current === undefined) return isShown(head);
  switch (head.kind) {
    case "message_end":
      return isSaidBy(line, current) && isAnyCurrent(current, line);
    case "transcript":
      return current.last?.line === line || (current.last?.isInOrder === true && isAnyCurrent(current, line));
    case "tool_execution_start":
    case "tool_execution_update":
    case "tool_execution_end": {
      const dropped = current.droppedAt.get(head.key ?? "");
      return dropped === undefined || dropped.offset < line.offset;
    }
    default:
      return true;
  }
}

/** Where messages were put into another order, the transcript that did so says them all. */
function isSaidBy(line: Line, { last }: CurrentMessages): boolean {
  return last === undefined || last.isInOrder || line.offset > last.line.offset;
}

/** The entries that lines stand for. They are in the order of the file. */
export async function readEntries(searched: SearchedFile, lines: readonly Line[]): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for await (const [line, text] of readSessionLines(searched.file, lines)) {
    const entry = parseEntry(text);
    if (entry === undefined || entry === "broken") continue;
    if ("host" in entry) entries.push(entry);
    else {
      const own = { ...entry, agent: linked(entry.agent, line, searched.links) };
      for (const event of await eventsOf(own, line, searched)) entries.push(event);
    }
  }
  return entries;
}

type AgentEntry = Extract<LogEntry, { agent: unknown }>;

async function eventsOf(entry: AgentEntry & Tail, line: Line, searched: SearchedFile): Promise<AgentEntry[]> {
  const { seq, agent } = entry;
  if (searched.links.strays.has(line)) return spread(entry, strayEvents(agent, searched.links));
  if (agent.type !== "transcript") return printedFirst(entry);
  const current = searched.currentByAgent.get(agent.agent.id);
  if (current === undefined) return [{ seq, agent: { ...agent, messages: [] } }];
  return spread({ seq, agent }, await transcriptEvents(agent, line, { ...searched, current }));
}

/** An event, ahead of it what the call printed whose end it is. */
function printedFirst({ seq, agent, printed }: AgentEntry & Tail): AgentEntry[] {
  if (agent.type !== "tool_execution_end" || printed === undefined) return [{ seq, agent }];
  const { callId, toolName, type: _, result: _result, isError: _isError, durationMs: _duration, ...base } = agent;
  const update: AgentEvent = { ...base, type: "tool_execution_update", callId, toolName, output: printed };
  return spread({ seq, agent }, [update, agent]);
}

/** Several events in place of one, numbered between the one before it and itself. */
function spread({ seq, agent }: AgentEntry, events: readonly AgentEvent[]): AgentEntry[] {
  const below = (index: number) => 1 - (index + 1) / events.length;
  return events.map((event, index) => ({
    seq: seq - below(index),
    agent: { ...event, seq: agent.seq - below(index) },
  }));
}

/** A whole transcript as what it adds to the messages that are read anyway, since what it removed is left out. */
async function transcriptEvents(
  event: Extract<AgentEvent, { type: "transcript" }>,
  line: Line,
  searched: SearchedFile & { current: CurrentMessages },
): Promise<AgentEvent[]> {
  const { current } = searched;
  const isLast = current.last?.line === line;
  if (current.last?.isInOrder === false) {
    const messages = await readMessages(searched, event.agent.id, current);
    const numbers = current.last.spans.flatMap(numbersOf);
    return [{ ...event, messages: numbers.flatMap((number) => messages.get(number) ?? []) }];
  }
  const [first = 0] = current.numbers.get(line) ?? [];
  const messages = event.messages.filter((_, at) => isCurrentNumber(current, first + at));
  if (!currentNumbers(current).some((number) => number < first)) return [{ ...event, messages }];
  const { messages: _, own, total, reason: _reason, type: _type, ...base } = event;
  const said = messages.map((message): AgentEvent => ({ ...base, type: "message_end", message }));
  if (!isLast) return said;
  const context = await contextBefore(searched, line);
  const delta = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 0 };
  return [...said, { ...base, type: "usage", delta, own, total, ...context }];
}

/** How full the agent's context was at its latest request before a line. */
async function contextBefore({ file, lines }: SearchedFile, { offset, head }: Line) {
  const usage = lines.findLast(
    (line) => line.offset < offset && line.head.kind === "usage" && line.head.of === head.of,
  );
  for await (const [, text] of readSessionLines(file, usage === undefined ? [] : [usage])) {
    const entry = parseEntry(text);
    if (entry === undefined || entry === "broken" || !("agent" in entry) || entry.agent.type !== "usage") break;
    return { contextTokens: entry.agent.contextTokens, contextPercent: entry.agent.contextPercent };
  }
  return { contextTokens: 0, contextPercent: 0 };
}

/** An agent's messages by their numbers. */
export async function readMessages(
  { file, lines }: SearchedFile,
  agentId: string,
  { numbers }: CurrentMessages,
): Promise<Map<number, AgentMessage>> {
  const messages = new Map<number, AgentMessage>();
  const own = lines.filter((line) => line.head.of === agentId && numbers.has(line));
  for await (const [line, text] of readSessionLines(file, own)) {
    const entry = parseEntry(text);
    if (entry === undefined || entry === "broken" || !("agent" in entry)) continue;
    const [first = 0] = numbers.get(line) ?? [];
    const { agent } = entry;
    if (agent.type === "message_end") messages.set(first, agent.message);
    else if (agent.type === "transcript")
      for (const [at, each] of agent.messages.entries()) messages.set(first + at, each);
  }
  return messages;
}

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
const maxBytes = 8 * 1_024 * 1_024;
const lineEnd = 10;

/** The whole lines behind `from`, without the messages of sub-agents. A file that became shorter has nothing new. */
export async function readNew(file: OpenFile, from: number): Promise<Omit<NewEntries, "isLive">> {
  const size = await file.size();
  if (size <= from) return { entries: [], end: from };
  for (let most = maxBytes; ; most *= 2) {
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
