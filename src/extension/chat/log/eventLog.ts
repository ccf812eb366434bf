import type { AgentEvent, AgentMessage } from "../../../agent/types.ts";
import type { HostEvent } from "../../../protocol/hostEvents.ts";
import { emptyHostState, type HostState, reduceHost } from "../../../protocol/hostState.ts";
import type { LogEntry } from "../../../protocol/messages.ts";

interface EarlierLog {
  entries: readonly LogEntry[];
  lastSeq: number;
  host: HostState;
}

/**
 * A chat's log, in memory: every event of every agent and of the host, in order. What a later entry makes redundant
 * is dropped and deltas are merged, so that the log grows with the finished conversation and not with its deltas.
 */
export class EventLog {
  readonly #listeners = new Set<(entry: LogEntry) => void>();
  readonly #openDeltas = new OpenDeltas();
  readonly #openOutputs = new OpenDeltas();
  #settled: LogEntry[];
  #lastSeq: number;
  #mergedThrough = 0;
  #record: ((entry: LogEntry) => void) | undefined;
  #host: HostState;

  /** Goes on where an earlier log ended; `host` is the fold of that. */
  constructor(earlier: EarlierLog = { entries: [], lastSeq: 0, host: emptyHostState() }) {
    this.#settled = [...earlier.entries];
    this.#lastSeq = earlier.lastSeq;
    this.#host = earlier.host;
  }

  /** The fold of the host's events. */
  get host(): HostState {
    return this.#host;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  onAppend(listener: (entry: LogEntry) => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** From now on each entry goes there before any listener is called; those above `afterSeq` go at once. */
  recordTo(record: (entry: LogEntry) => void, afterSeq: number): void {
    for (const entry of this.entriesAfter(afterSeq) ?? this.entriesAfter(0) ?? []) record(entry);
    this.#record = record;
  }

  /** From now on nothing is recorded. What is being said is in the record as far as it came, and is ended when it is read. */
  endRecord(): void {
    this.#record = undefined;
  }

  /** Puts what lies before the log in front of it. */
  prepend(entries: readonly LogEntry[]): void {
    const known = new Set(this.#settled.map(({ seq }) => seq));
    this.#settled = [...entries.filter(({ seq }) => !known.has(seq)), ...this.#settled];
  }

  appendAgent(event: AgentEvent): void {
    const entry: LogEntry = { seq: ++this.#lastSeq, agent: event };
    this.#record?.(entry);
    this.#keep(entry, event);
    this.#notify(entry);
  }

  appendHost(event: HostEvent): void {
    const entry: LogEntry = { seq: ++this.#lastSeq, host: event };
    this.#record?.(entry);
    this.#host = reduceHost(this.#host, event);
    this.#settled.push(entry);
    this.#notify(entry);
  }

  /** All entries above `seq`; undefined when some of them were merged with entries up to it, so that all are needed. */
  entriesAfter(seq: number): LogEntry[] | undefined {
    const isWithin = this.#openDeltas.hasAcross(seq) || this.#openOutputs.hasAcross(seq);
    if (seq > 0 && (seq < this.#mergedThrough || isWithin)) return undefined;
    const open = [...this.#openDeltas.entries(), ...this.#openOutputs.entries()];
    return [...this.#settled, ...open].filter((entry) => entry.seq > seq).sort((a, b) => a.seq - b.seq);
  }

  /** Somebody has the log up to here: what comes is not merged with it. */
  divide(): void {
    this.#openDeltas.divide();
    this.#openOutputs.divide();
  }

  /** An agent's finished messages, also after the agent itself is gone. */
  messagesOf(agentId: string): AgentMessage[] {
    return this.#settled.flatMap((entry) =>
      "agent" in entry && entry.agent.agent.id === agentId && entry.agent.type === "message_end"
        ? [entry.agent.message]
        : [],
    );
  }

  #keep(entry: LogEntry, event: AgentEvent): void {
    switch (event.type) {
      case "message_update":
        this.#openDeltas.add(event.messageId, entry);
        return;
      case "message_end":
        // The finished message holds all that its deltas said.
        this.#openDeltas.delete(event.message.id);
        this.#forgetStart(event.message.id);
        break;
      case "tool_execution_update":
        this.#openOutputs.add(event.callId, entry);
        return;
      case "tool_execution_end":
        this.#settleOutput(event.callId);
        break;
      default:
    }
    this.#settled.push(entry);
  }

  /** A message's start says no more than its end, and comes shortly before it. */
  #forgetStart(messageId: string): void {
    const least = Math.max(0, this.#settled.length - maxBetween);
    for (let at = this.#settled.length - 1; at >= least; at--) {
      const entry = this.#settled[at];
      if (entry === undefined || !("agent" in entry) || entry.agent.type !== "message_start") continue;
      if (entry.agent.message.id !== messageId) continue;
      this.#settled.splice(at, 1);
      return;
    }
  }

  #settleOutput(callId: string): void {
    const merged = mergeOutputs(this.#openOutputs.delete(callId));
    if (merged === undefined) return;
    this.#settled.push(merged);
    this.#mergedThrough = merged.seq;
  }

  #notify(entry: LogEntry): void {
    for (const listener of this.#listeners) listener(entry);
  }
}

const keptOutputCharacters = 64_000;
/** Entries of other agents between the start of a message and its end, as far as anybody looks. */
const maxBetween = 500;

/** One entry with the joined live output of a call; its head is cut where it is very long. */
function mergeOutputs(entries: readonly LogEntry[]): LogEntry | undefined {
  const last = entries.at(-1);
  if (last === undefined || !("agent" in last) || last.agent.type !== "tool_execution_update") return undefined;
  let output = "";
  for (const entry of entries) {
    if ("agent" in entry && entry.agent.type === "tool_execution_update") output += entry.agent.output ?? "";
  }
  return { seq: last.seq, agent: { ...last.agent, output: output.slice(-keptOutputCharacters) } };
}

const maxRunLength = 1_000;

/** Runs are joined when somebody asks for them, which hardly happens before the message has ended. */
interface OpenRuns {
  settled: DeltaRun[];
  growing: DeltaRun | undefined;
}

/** What is still being written, by message or by call: its deltas, merged between two points where somebody looked. */
class OpenDeltas {
  readonly #open = new Map<string, OpenRuns>();

  add(key: string, entry: LogEntry): void {
    const open = this.#open.get(key);
    if (open === undefined) {
      this.#open.set(key, { settled: [], growing: startRun(entry) });
      return;
    }
    const { growing } = open;
    if (growing !== undefined && growing.texts.length < maxRunLength && extendRun(growing, entry)) return;
    // Of a flood that is not divided, one text needs less memory than all of its pieces.
    if (growing !== undefined && growing.texts.length >= maxRunLength) growing.texts = [growing.texts.join("")];
    settle(open);
    open.growing = startRun(entry);
  }

  /** What comes is not merged with what is there. */
  divide(): void {
    for (const open of this.#open.values()) settle(open);
  }

  /** Whether entries up to the number were merged with later ones. */
  hasAcross(seq: number): boolean {
    const isAcross = ({ first, last }: DeltaRun) => first <= seq && seq < last.seq;
    for (const { settled, growing } of this.#open.values()) {
      if ((growing !== undefined && isAcross(growing)) || settled.some(isAcross)) return true;
    }
    return false;
  }

  entries(): LogEntry[] {
    return [...this.#open.values()].flatMap(entriesOf);
  }

  /** Gives what it forgets. */
  delete(key: string): LogEntry[] {
    const open = this.#open.get(key);
    this.#open.delete(key);
    return open === undefined ? [] : entriesOf(open);
  }
}

function settle(open: OpenRuns): void {
  if (open.growing === undefined) return;
  open.settled.push(open.growing);
  open.growing = undefined;
}

function entriesOf({ settled, growing }: OpenRuns): LogEntry[] {
  const entries = settled.map(entryOf);
  return growing === undefined ? entries : [...entries, entryOf(growing)];
}

/**
 * Entries that become one: deltas of the same part of the same message, or the live output of one call. It has the
 * place and the number of the last of them and the text of all. Events are built once, not once per delta.
 */
export interface DeltaRun {
  /** The number of its first entry. */
  readonly first: number;
  last: LogEntry;
  /** The texts of all, joined when they are needed: a string that grows by concatenation keeps all its pieces. */
  texts: string[];
}

/** A run of one entry. */
export function startRun(entry: LogEntry): DeltaRun {
  return { first: entry.seq, last: entry, texts: [] };
}

/** Adds the entry to the run if it is its next part. */
export function extendRun(run: DeltaRun, entry: LogEntry): boolean {
  if (!("agent" in run.last) || !("agent" in entry) || !isContinued(run.last.agent, entry.agent)) return false;
  if (run.texts.length === 0) run.texts.push(textOf(run.last.agent));
  run.texts.push(textOf(entry.agent));
  run.last = entry;
  return true;
}

/** The run as one entry. */
export function entryOf(run: DeltaRun): LogEntry {
  const { last, texts } = run;
  if (texts.length === 0 || !("agent" in last)) return last;
  const { seq, agent } = last;
  if (agent.type === "tool_execution_update") return { seq, agent: { ...agent, output: textOfRun(run) } };
  if (agent.type !== "message_update" || !("delta" in agent.delta)) return last;
  return { seq, agent: { ...agent, delta: { ...agent.delta, delta: textOfRun(run) } } };
}

export function textOfRun({ last, texts }: DeltaRun): string {
  if (texts.length > 0) return texts.join("");
  return "agent" in last ? textOf(last.agent) : "";
}

function isContinued(first: AgentEvent, next: AgentEvent): boolean {
  if (first.type === "message_update" && next.type === "message_update") {
    const a = first.delta;
    const b = next.delta;
    return (
      first.messageId === next.messageId && "delta" in a && "delta" in b && a.type === b.type && a.index === b.index
    );
  }
  if (first.type === "tool_execution_update" && next.type === "tool_execution_update") {
    if (first.callId !== next.callId || first.output === undefined || next.output === undefined) return false;
    return first.partial === undefined && next.partial === undefined;
  }
  return false;
}

function textOf(event: AgentEvent): string {
  if (event.type === "message_update") return "delta" in event.delta ? event.delta.delta : "";
  return event.type === "tool_execution_update" ? (event.output ?? "") : "";
}
