import type { AgentEvent, ReportedUsage, StreamedUpdate } from "../../agent/types.ts";
import type { LogEntry } from "../../protocol/messages.ts";
import { type AgentRecord, isShown, type StoredRecord, type UnfinishedPart } from "./records.ts";
import type { SessionFold } from "./sessionFold.ts";

const maxPrintedCharacters = 64_000;

type RecordHead = Omit<AgentRecord, "agent">;
type Event<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

/**
 * Makes the records of a session from its log. Left out is what a later entry repeats: deltas, the empty start of a
 * message, the lists in the ends of turns and runs. What a call printed is saved with its end.
 */
export class Recorder {
  readonly #fold: SessionFold;
  readonly #printed = new Map<string, string>();

  constructor(fold: SessionFold) {
    this.#fold = fold;
  }

  /** Undefined when nothing of the entry is saved. */
  recordOf(entry: LogEntry, at: number): StoredRecord | undefined {
    const { seq } = entry;
    if ("host" in entry) return { seq, at, host: entry.host };
    return this.#agentRecord(entry.agent, isShown(entry) ? { seq, at } : { seq, isHidden: true, at });
  }

  #agentRecord(agent: AgentEvent, head: RecordHead): AgentRecord | undefined {
    switch (agent.type) {
      case "message_start":
      case "message_update":
        return undefined;
      case "tool_execution_update":
        this.#print(agent);
        return undefined;
      case "tool_execution_end": {
        const printed = this.#takePrinted(agent);
        return { ...head, agent, ...(printed !== undefined && { printed }) };
      }
      case "transcript":
        return this.#transcript(agent, head);
      case "agent_end": {
        const { finalMessage: _repeated, ...end } = agent;
        return { ...head, agent: { ...end, messages: [] } };
      }
      case "turn_end":
        return { ...head, agent: { ...agent, message: { ...agent.message, content: [] }, toolResults: [] } };
      default:
        return { ...head, agent };
    }
  }

  #print(event: Event<"tool_execution_update">): void {
    if (event.output === undefined) return;
    const key = callKey(event);
    const output = (this.#printed.get(key) ?? "") + event.output;
    // Cut now and then only: a copy for every line that is printed would be quadratic.
    this.#printed.set(key, output.length > 2 * maxPrintedCharacters ? output.slice(-maxPrintedCharacters) : output);
  }

  #takePrinted(event: Event<"tool_execution_end">): string | undefined {
    const key = callKey(event);
    const printed = this.#printed.get(key);
    this.#printed.delete(key);
    return printed?.slice(-maxPrintedCharacters);
  }

  #transcript(event: Event<"transcript">, head: RecordHead): AgentRecord | undefined {
    const { messages, reason } = event;
    const history = this.#fold.historyOf(event.agent.id);
    const { spans, fresh, isKnown } = history.compare(messages, this.#fold.digestOf, head.seq);
    if (reason === "initial" && isKnown && messages.length > 0) return undefined;
    return { ...head, agent: { ...event, messages: fresh }, spans };
  }
}

function callKey(event: { agent: { id: string }; callId: string }): string {
  return JSON.stringify([event.agent.id, event.callId]);
}

type TextDelta = Extract<StreamedUpdate["delta"], { type: "text_delta" | "thinking_delta" }>;

/** A message or call that has no end yet: what of it is in no record. */
interface Growing {
  /** Of a message, until it is written. */
  start?: Event<"message_start">;
  /** The latest event of it. */
  latest: Event<"message_start" | "tool_execution_update"> | StreamedUpdate;
  /** Neighbouring deltas of one part as the list of their texts: joined when they are written. */
  parts: { type: TextDelta["type"]; index: number; texts: string[] }[];
  reported?: ReportedUsage;
  output: string[];
  outputLength: number;
}

/** What one record holds of a call's output: of a flood, its end. */
const maxOutputCharacters = 8_000;

/**
 * The answers that are being streamed and what running calls print, between the start and the end that the session's
 * file has anyway. It is saved now and then, each time only what is new, so that the file grows with the text.
 */
export class GrowingText {
  readonly #open = new Map<string, Growing>();

  /** Whether there is anything new to be taken. */
  add(event: AgentEvent): boolean {
    switch (event.type) {
      case "message_start":
        if (event.message.role !== "assistant") return false;
        this.#open.set(event.message.id, { ...nothingNew(event), start: event });
        return true;
      case "message_update":
        return this.#addDelta(event);
      case "message_end":
        this.#open.delete(event.message.id);
        return false;
      case "tool_execution_update":
        return this.#addOutput(event);
      case "tool_execution_end":
        this.#open.delete(callKey(event));
        return false;
      default:
        return false;
    }
  }

  /** What came since the last call, of each message and call that is open. */
  take(): UnfinishedPart[] {
    const taken: UnfinishedPart[] = [];
    for (const [open, growing] of this.#open) {
      const events = eventsOf(growing);
      const { latest, reported } = growing;
      if (events.length === 0 && reported === undefined) continue;
      const part = { agentId: latest.agent.id, key: keyOf(latest), events };
      taken.push(reported === undefined ? part : { ...part, reported });
      this.#open.set(open, nothingNew(latest));
    }
    return taken;
  }

  #addDelta(event: StreamedUpdate): boolean {
    const growing = this.#open.get(event.messageId);
    if (growing === undefined) return false;
    growing.latest = event;
    if (event.reported !== undefined) growing.reported = event.reported;
    const { delta } = event;
    // Of a call that was cut nothing is shown: it never ran.
    if (delta.type !== "text_delta" && delta.type !== "thinking_delta") return event.reported !== undefined;
    const last = growing.parts.at(-1);
    if (last?.type === delta.type && last.index === delta.index) last.texts.push(delta.delta);
    else growing.parts.push({ type: delta.type, index: delta.index, texts: [delta.delta] });
    return true;
  }

  #addOutput(event: Event<"tool_execution_update">): boolean {
    if (event.output === undefined || event.output === "") return false;
    const key = callKey(event);
    const growing = this.#open.get(key) ?? nothingNew(event);
    this.#open.set(key, growing);
    growing.latest = event;
    growing.output.push(event.output);
    growing.outputLength += event.output.length;
    if (growing.outputLength > 4 * maxOutputCharacters) {
      growing.output = [growing.output.join("").slice(-maxOutputCharacters)];
      growing.outputLength = maxOutputCharacters;
    }
    return true;
  }
}

function nothingNew(latest: Growing["latest"]): Growing {
  return { latest, parts: [], output: [], outputLength: 0 };
}

function keyOf(event: Growing["latest"]): string {
  if (event.type === "tool_execution_update") return event.callId;
  return event.type === "message_start" ? event.message.id : event.messageId;
}

function eventsOf({ start, latest, parts, output }: Growing): AgentEvent[] {
  if (latest.type === "tool_execution_update") {
    const text = output.join("").slice(-maxOutputCharacters);
    return text === "" ? [] : [{ ...latest, output: text }];
  }
  const events: AgentEvent[] = start === undefined ? [] : [start];
  if (latest.type !== "message_update") return events;
  const { reported: _apart, ...base } = latest;
  for (const { type, index, texts } of parts) {
    events.push({ ...base, delta: { type, index, delta: texts.join("") } });
  }
  return events;
}
