import type { AgentEvent, AgentMessage, ToolResult } from "../../agent/types.ts";
import { emptyUsage } from "../../agent/vocabulary/usage.ts";
import type { LogEntry } from "../../protocol/messages.ts";
import type { OpenFile } from "../common/files.ts";
import { type AgentRecord, isHiddenLine, isShown, parseRecord, wordsIn } from "./records.ts";
import type { CallResults, NewEntries, SessionCursor, SessionSummary } from "./session.ts";
import { type ByteRange, linesIn, type Segment, type SessionFile } from "./sessionFile.ts";
import { keyOf, type MessageRef, positionOf, type TranscriptHistory } from "./transcriptHistory.ts";

export interface PageLimits {
  bytes: number;
  entries: number;
}

/** What a panel shows at once with ease, many times over. */
export const pageLimits: PageLimits = { bytes: 4 * 1_024 * 1_024, entries: 4_000 };

export interface SessionPage {
  entries: LogEntry[];
  /** From ahead of the page. */
  stateEntries: LogEntry[];
  earlier?: SessionCursor;
}

/** The last page of a session, or the last one ahead of a cursor: as many segments as fill it. */
export async function readPage(
  session: SessionFile,
  limits: PageLimits,
  before: SessionCursor = { offset: Number.POSITIVE_INFINITY },
): Promise<SessionPage> {
  const segments = session.segments.filter((segment) => startOf(segment) < before.offset);
  const taken: Segment[] = [];
  const size = { entries: 0, bytes: 0 };
  let entries: LogEntry[] = [];
  while (entries.length === 0 || (size.entries < limits.entries && size.bytes < limits.bytes)) {
    const next = segments.pop();
    if (next === undefined) break;
    taken.unshift(next);
    size.entries += next.shown.entries;
    size.bytes += next.shown.bytes;
    entries = [...(await entriesIn(session, next)), ...entries];
  }
  const [first] = taken;
  if (first === undefined || segments.length === 0) return { entries, stateEntries: [] };
  return { entries, stateEntries: first.state, earlier: { offset: startOf(first) } };
}

function startOf({ ranges }: Segment): number {
  return ranges[0]?.[0] ?? 0;
}

/** The entries of the log as it is read back: without what a rewind took out. */
async function entriesIn(session: SessionFile, segment: Segment): Promise<LogEntry[]> {
  const { link } = segment;
  const entries: LogEntry[] = [];
  const usages = new Map<string, UsageEvent>();
  for (const entry of segment.state) noteUsage(usages, entry);
  for await (const [, line] of readLinesIn(session.file, segment.ranges)) {
    if (link === undefined && isHiddenLine(line)) continue;
    const record = parseRecord(line);
    if ("fault" in record || "growing" in record) continue;
    if ("host" in record) {
      entries.push({ seq: record.seq, host: record.host });
      continue;
    }
    const { seq, spans, printed } = record;
    const agent = link?.event(record.agent) ?? record.agent;
    const stray = link?.stray(record);
    const own: AgentRecord = { seq, agent, ...(printed !== undefined && { printed }), ...(spans && { spans }) };
    const shown = stray !== undefined ? spread(own, stray) : isShown(own) ? await eventsOf(session, own, usages) : [];
    for (const entry of shown) {
      noteUsage(usages, entry);
      entries.push(entry);
    }
  }
  return entries;
}

type AgentEntry = Extract<LogEntry, { agent: unknown }>;
type UsageEvent = Extract<AgentEvent, { type: "usage" }>;

function noteUsage(usages: Map<string, UsageEvent>, entry: LogEntry): void {
  if ("agent" in entry && entry.agent.type === "usage") usages.set(entry.agent.agent.id, entry.agent);
}

async function eventsOf(
  session: SessionFile,
  record: AgentRecord,
  usages: ReadonlyMap<string, UsageEvent>,
): Promise<AgentEntry[]> {
  const { seq, agent } = record;
  const history = agent.agent.depth === 0 ? session.fold.histories.get(agent.agent.id) : undefined;
  switch (agent.type) {
    case "message_end":
      return history === undefined || isRead(history, keyOf(seq)) ? [{ seq, agent }] : [];
    case "transcript": {
      if (history === undefined) return [{ seq, agent: { ...agent, messages: [] } }];
      return spread(record, await transcriptEvents({ session, history, seq }, agent, usages.get(agent.agent.id)));
    }
    case "tool_execution_start":
    case "tool_execution_update":
    case "tool_execution_end": {
      const removedAt = history?.callerAt(seq)?.removedAt;
      return removedAt === undefined || removedAt < seq ? printedFirst(record) : [];
    }
    default:
      return [{ seq, agent }];
  }
}

/** Where messages were put into another order, the transcript that did so brings them all. */
function isRead(history: TranscriptHistory, key: number): boolean {
  return history.isCurrent(key) && (!history.isReordered || key > (history.last?.seq ?? 0));
}

/** An event, ahead of it what the call printed whose end it is. */
export function printedFirst({ seq, agent, printed }: AgentRecord): AgentEntry[] {
  if (agent.type !== "tool_execution_end" || printed === undefined) return [{ seq, agent }];
  const { callId, toolName, type: _, result: _result, isError: _isError, durationMs: _duration, ...base } = agent;
  const update: AgentEvent = { ...base, type: "tool_execution_update", callId, toolName, output: printed };
  return spread({ seq, agent }, [update, agent]);
}

/** Several events in place of one, numbered between the one before it and itself. */
export function spread({ seq, agent }: AgentEntry, events: readonly AgentEvent[]): AgentEntry[] {
  const below = (index: number) => 1 - (index + 1) / events.length;
  return events.map((event, index) => ({
    seq: seq - below(index),
    agent: { ...event, seq: agent.seq - below(index) },
  }));
}

/** A whole transcript as what it adds to the messages that are read anyway, since what it removed is left out. */
async function transcriptEvents(
  { session, history, seq }: { session: SessionFile; history: TranscriptHistory; seq: number },
  event: Extract<AgentEvent, { type: "transcript" }>,
  usage: UsageEvent | undefined,
): Promise<AgentEvent[]> {
  const isLast = history.last?.seq === seq;
  if (history.isReordered) {
    return isLast ? [{ ...event, messages: await readMessages(session.file, history.before(seq + 1).current) }] : [];
  }
  const messages = event.messages.filter((_, at) => history.isCurrent(keyOf(seq, at)));
  if (!isLast && messages.length === 0) return [];
  if (!history.current.some(({ key }) => key < seq)) return [{ ...event, messages }];
  const { messages: _, own, total, reason: _reason, type: _type, ...base } = event;
  const added = messages.map((message): AgentEvent => ({ ...base, type: "message_end", message }));
  if (!isLast) return added;
  const { contextTokens = 0, contextPercent = 0 } = usage ?? {};
  return [...added, { ...base, type: "usage", delta: emptyUsage(), own, total, contextTokens, contextPercent }];
}

const chunkBytes = 4 * 1_024 * 1_024;
const maxGapBytes = 65_536;
const lineEnd = 10;

/** The lines in these ranges, with their offsets. */
export async function* readLinesIn(file: OpenFile, ranges: readonly ByteRange[]): AsyncGenerator<[number, Buffer]> {
  for (const [from, end] of ranges) {
    let rest: Buffer = Buffer.alloc(0);
    for (let at = from; at < end; ) {
      const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, end - at));
      const read = await file.read(chunk, at);
      if (read === 0) break;
      const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
      const offset = at - rest.length;
      at += read;
      const whole = at < end ? bytes.lastIndexOf(lineEnd) + 1 : bytes.length;
      for (const [start, stop] of linesIn(bytes.subarray(0, whole)))
        yield [offset + start, bytes.subarray(start, stop)];
      rest = bytes.subarray(whole);
    }
  }
}

/** The messages in the order of the refs; those that can't be read are left out. */
async function readMessages(file: OpenFile, refs: readonly MessageRef[]): Promise<AgentMessage[]> {
  const byLine = Map.groupBy(refs, ({ line }) => line?.offset);
  const lines = refs.flatMap(({ line }) => line ?? []).sort((a, b) => a.offset - b.offset);
  const ranges: ByteRange[] = [];
  for (const { offset, length } of lines) {
    const last = ranges.at(-1);
    // Lines that are near each other are read at once.
    if (last !== undefined && offset - last[1] <= maxGapBytes) last[1] = Math.max(last[1], offset + length);
    else ranges.push([offset, offset + length]);
  }
  const messages = new Map<MessageRef, AgentMessage>();
  for await (const [offset, line] of readLinesIn(file, ranges)) {
    const own = byLine.get(offset) ?? [];
    const record = own.length > 0 ? parseRecord(line) : undefined;
    if (record === undefined || !("agent" in record)) continue;
    const { agent: event, seq } = record;
    const all = event.type === "transcript" ? event.messages : event.type === "message_end" ? [event.message] : [];
    for (const ref of own) {
      const message = all[positionOf(ref, seq)];
      if (message !== undefined) messages.set(ref, message);
    }
  }
  return refs.flatMap((ref) => messages.get(ref) ?? []);
}

/** An agent's finished messages; as they were before the entry `beforeSeq`. */
export function readTranscript(
  { file, fold }: SessionFile,
  agentId: string,
  beforeSeq: number,
): Promise<AgentMessage[]> {
  const history = fold.histories.get(agentId);
  const refs = Number.isFinite(beforeSeq) ? history?.before(beforeSeq).current : history?.current;
  return readMessages(file, refs ?? []);
}

/** What an agent's calls gave, by call id; the latest, where a call was run again. */
export async function readCallResults(file: OpenFile, agentId: string): Promise<CallResults> {
  const results = new Map<string, { status: "done" | "error"; result: ToolResult }>();
  for await (const [, line] of readLinesIn(file, [[0, await file.size()]])) {
    if (!line.includes('"tool_execution_end"') || !line.includes(agentId)) continue;
    const record = parseRecord(line);
    if (!("agent" in record) || record.agent.type !== "tool_execution_end" || record.agent.agent.id !== agentId)
      continue;
    const { callId, result, isError } = record.agent;
    results.set(callId, { status: isError ? "error" : "done", result });
  }
  return results;
}

export function summarize(id: string, { createdAt, fold }: SessionFile): SessionSummary {
  const { updatedAt, messageCount, tokens, cost, state } = fold;
  return {
    id,
    title: state.title,
    createdAt,
    updatedAt: Math.max(createdAt, updatedAt),
    messageCount,
    tokens,
    // A model without a known price costs nothing by its usage.
    ...(cost > 0 && { cost }),
    isInterrupted: state.isRunning,
    ...(state.isWaiting && { isWaiting: true }),
  };
}

/** What is read at a time; the rest comes with the next reading. */
const maxNewBytes = 8 * 1_024 * 1_024;

/** The whole lines behind `from`, without the messages of sub-agents. A file that became shorter has nothing new. */
export async function readNew(file: OpenFile, from: number): Promise<Omit<NewEntries, "isLive">> {
  const size = await file.size();
  if (size <= from) return { entries: [], end: from };
  for (let length = maxNewBytes; ; length *= 2) {
    const buffer = Buffer.allocUnsafe(Math.min(size - from, length));
    const bytes = buffer.subarray(0, await file.read(buffer, from));
    const whole = bytes.lastIndexOf(lineEnd) + 1;
    // A single line that is longer than what was read is read whole.
    if (whole === 0 && from + bytes.length < size && bytes.length === length) continue;
    return { entries: [...newEntries(bytes.subarray(0, whole))], end: from + whole };
  }
}

function* newEntries(bytes: Buffer): Generator<LogEntry> {
  for (const [from, end] of linesIn(bytes)) {
    const record = parseRecord(bytes.subarray(from, end));
    if ("fault" in record) continue;
    if ("growing" in record) yield* wordsIn(record.growing).map((agent) => ({ seq: record.seq, agent }));
    else if ("host" in record) yield { seq: record.seq, host: record.host };
    else if (isShown(record)) yield* printedFirst(record);
  }
}
