import * as z from "zod";
import type { AgentEvent, ReportedUsage, StreamedUpdate } from "../../agent/types.ts";
import { usageSchema } from "../../protocol/agentEventSchemas.ts";
import { isAgentEvent } from "./entrySchema.ts";
import { formatGrowingRecord, growingKind, type Head } from "./records.ts";

type Event<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;
type TextDelta = Extract<StreamedUpdate["delta"], { type: "text_delta" | "thinking_delta" }>;

/** Something that has begun and not ended: what of it is in no record yet. */
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
 * What agents are saying and what their calls print, between the start and the end that the session's file has anyway.
 * It is taken now and then, each time only what came since the last time, so that the file grows with the text.
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

  /** A record for each message and call that has grown, between two entries of the log: they have no number of their own. */
  take(seq: number, at: number): string[] {
    const records: string[] = [];
    for (const [key, growing] of this.#open) {
      const events = eventsOf(growing);
      const { latest, reported } = growing;
      if (events.length === 0 && reported === undefined) continue;
      const { depth, id } = latest.agent;
      const head: Head = { seq, at, kind: growingKind, depth, of: id, key: keyOf(latest) };
      records.push(formatGrowingRecord(head, { growing: events, ...(reported !== undefined && { reported }) }));
      this.#open.set(key, nothingNew(latest));
    }
    return records;
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

function callKey(event: { agent: { id: string }; callId: string }): string {
  return JSON.stringify([event.agent.id, event.callId]);
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

/** Several records of one message or call, read back as one. */
export interface Unfinished {
  /** Starts, deltas and output, oldest first. */
  events: AgentEvent[];
  /** What the provider had reported of the request that never ended. */
  reported?: ReportedUsage;
}

const price = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number().exactOptional(),
  cacheWrite: z.number().exactOptional(),
});
const record = z.object({
  growing: z.array(z.custom<AgentEvent>(isAgentEvent)),
  reported: z.object({ usage: usageSchema, price: price.exactOptional() }).exactOptional(),
});

/** Undefined when the record can't be read. */
export function readGrowing(line: Buffer): Unfinished | undefined {
  try {
    const read = record.safeParse(JSON.parse(line.toString("utf8"))).data;
    return read && { events: read.growing, ...(read.reported !== undefined && { reported: read.reported }) };
  } catch {
    return undefined;
  }
}
