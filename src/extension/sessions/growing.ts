import type { AgentEvent, ReportedUsage, StreamedUpdate } from "../../agent/types.ts";
import type { UnfinishedPart } from "./records.ts";

type Event<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;
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
