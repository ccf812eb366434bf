import type { OpenFile } from "../common/files.ts";
import { parseEntry } from "./entrySchema.ts";
import { type Line, readSessionLines } from "./lines.ts";
import type { ByteSpan } from "./records.ts";
import type { WholeFile } from "./searchFile.ts";
import { callsOf, digestOf, type EarlierMessages, type WrittenBytes, type WrittenMessage } from "./transcripts.ts";

/** One agent's messages as far as a rewind or another change of its whole transcript concerns them. */
export interface CurrentMessages {
  /** By number; gone ones included. */
  messages: (WrittenMessage & { calls: string[] })[];
  /** The latest answer, whose calls run next. */
  caller?: CurrentMessages["messages"][number];
  /** The numbers of the messages that a line holds. */
  numbers: Map<Line, ByteSpan>;
  /** The latest whole transcript. */
  last?: LastTranscript;
  /** By call: the line whose transcript took it out of the conversation. */
  droppedAt: Map<string, Line>;
}

interface LastTranscript {
  line: Line;
  spans: ByteSpan[];
  /** Its messages stand in the order in which they were written: to leave out the others says the same. */
  isInOrder: boolean;
  /** Messages with this number and above came after it. */
  written: number;
}

/** Follows the transcripts of the agents that are asked for. */
export async function findCurrentMessages(
  file: OpenFile,
  lines: readonly Line[],
  isWanted: (line: Line) => boolean,
): Promise<Map<string, CurrentMessages>> {
  const wanted = lines.filter((line) => line.head.of !== undefined && isWanted(line));
  const transcripts = new Map<Line, Transcript>();
  for await (const [line, text] of readSessionLines(file, wanted.filter(isTranscript))) {
    const transcript = readTranscript(text);
    if (transcript !== undefined) transcripts.set(line, transcript);
  }
  const agents = new Map<string, CurrentMessages>();
  for (const line of wanted) {
    const current = currentOf(agents, line.head.of ?? "");
    const transcript = transcripts.get(line);
    if (transcript !== undefined) addTranscript(current, line, transcript);
    else addLine(current, line);
  }
  return agents;
}

interface Transcript {
  /** Absent in what the first version wrote: its transcripts hold all their messages themselves. */
  spans?: ByteSpan[];
  dropped?: string[];
  own: CurrentMessages["messages"];
}

function isTranscript({ head }: Line): boolean {
  return head.kind === "transcript";
}

function readTranscript(text: Buffer): Transcript | undefined {
  const entry = parseEntry(text);
  if (entry === undefined || entry === "broken" || !("agent" in entry) || entry.agent.type !== "transcript") {
    return undefined;
  }
  const own = entry.agent.messages.map((message) => ({ digest: digestOf(message), calls: callsOf(message) }));
  const { spans, dropped = [] } = entry;
  return { own, ...(spans !== undefined && { spans, dropped }) };
}

function currentOf(agents: Map<string, CurrentMessages>, id: string): CurrentMessages {
  const known = agents.get(id) ?? { messages: [], numbers: new Map(), droppedAt: new Map() };
  agents.set(id, known);
  return known;
}

function addLine(current: CurrentMessages, line: Line): void {
  const { kind, role, key, sum = "" } = line.head;
  if (kind === "message_end") {
    const message = { digest: sum, calls: [] };
    const end = current.messages.push(message);
    current.numbers.set(line, [end - 1, end]);
    if (role === "assistant") current.caller = message;
  }
  if (kind === "tool_execution_start" && key !== undefined) current.caller?.calls.push(key);
}

function addTranscript(current: CurrentMessages, line: Line, { own, ...transcript }: Transcript): void {
  const { spans = spansByDigest(current, own), dropped = callsWithout(current, own) } = transcript;
  const first = current.messages.length;
  const written = current.messages.push(...own);
  current.numbers.set(line, [first, written]);
  // Below 0 they count from the end of what this very record holds.
  const placed = spans.map(([from, end]): ByteSpan => (from < 0 ? [written + from, written + end] : [from, end]));
  current.last = { line, spans: placed, isInOrder: isInOrder(placed), written };
  for (const call of dropped) current.droppedAt.set(call, line);
}

/** Messages that stood in the file before are taken for those. */
function spansByDigest({ messages }: CurrentMessages, own: Transcript["own"]): ByteSpan[] {
  const numbers = new Map(messages.map(({ digest }, number) => [digest, number]));
  return own.map(({ digest }, at): ByteSpan => {
    const number = numbers.get(digest) ?? at - own.length;
    return [number, number + 1];
  });
}

function callsWithout({ messages }: CurrentMessages, own: Transcript["own"]): string[] {
  const staying = new Set(own.flatMap(({ calls }) => calls));
  return messages.flatMap(({ calls }) => calls).filter((call) => !staying.has(call));
}

function isInOrder(spans: readonly ByteSpan[]): boolean {
  return spans.every(([from, end], at) => from < end && from >= (spans[at - 1]?.[1] ?? 0));
}

/** The message is part of the transcript as it is now. */
export function isCurrentNumber({ last }: CurrentMessages, number: number): boolean {
  if (last === undefined || number >= last.written) return true;
  return last.spans.some(([from, end]) => from <= number && number < end);
}

/** Some message of the line is part of the transcript as it is now. */
export function isAnyCurrent(current: CurrentMessages, line: Line): boolean {
  const span = current.numbers.get(line);
  return span !== undefined && numbersOf(span).some((number) => isCurrentNumber(current, number));
}

/** The numbers of the messages of the transcript as it is now. */
export function currentNumbers({ last, messages }: CurrentMessages): number[] {
  const spans: ByteSpan[] =
    last === undefined ? [[0, messages.length]] : [...last.spans, [last.written, messages.length]];
  return spans.flatMap(numbersOf);
}

export function numbersOf([from, end]: ByteSpan): number[] {
  return Array.from({ length: Math.max(0, end - from) }, (_, at) => from + at);
}

/** Nobody has spoken yet. */
export const nothingWritten: WrittenBytes = {
  size: 0,
  lacksLineEnd: false,
  lastSeq: 0,
  spent: { tokens: 0, cost: 0 },
  earlier: { of: () => undefined, isUnknown: () => false },
};

export function writtenIn(whole: WholeFile): WrittenBytes {
  const { end, lacksLineEnd, lastSeq, spent } = whole;
  return { size: end, lacksLineEnd, lastSeq, spent, earlier: earlierIn(whole) };
}

/** What the agents at depth 0 said is known by its digests; what others said is not followed. */
function earlierIn({ lines, currentByAgent }: WholeFile): EarlierMessages {
  const others = new Set<string>();
  for (const { head } of lines) if (head.of !== undefined && !currentByAgent.has(head.of)) others.add(head.of);
  return {
    of(agentId) {
      const current = currentByAgent.get(agentId);
      return current && { messages: current.messages, numbers: currentNumbers(current) };
    },
    isUnknown: (agentId) => others.has(agentId),
  };
}
