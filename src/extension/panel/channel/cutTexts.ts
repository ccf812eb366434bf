import type { AgentEvent, AgentMessage, AssistantMessage, ToolResult } from "../../../agent/types.ts";
import type { Omitted, TextSource } from "../../../protocol/messageTexts.ts";

/** Of a message, or of what a call was given or answered: as much as a panel lays out and highlights with ease. */
export const maxShownCharacters = 1_000_000;
/** How far ahead of the limit a line's end is looked for. */
const lineSearchLength = 2_000;

/** The event as a panel gets it: of texts that are too long to be drawn the beginning, with what is missing. */
export function cutEvent(event: AgentEvent): AgentEvent {
  const agentId = event.agent.id;
  switch (event.type) {
    case "message_start":
    case "message_end": {
      const message = cutMessage(event.message, agentId);
      return message === event.message ? event : { ...event, message };
    }
    case "transcript": {
      const messages = event.messages.map((message) => cutMessage(message, agentId));
      return messages.every((message, index) => message === event.messages[index]) ? event : { ...event, messages };
    }
    case "tool_execution_start": {
      const { value, bytes } = cutJson(event.args);
      return bytes === 0 ? event : { ...event, args: value };
    }
    case "tool_execution_end": {
      const result = cutResult(event.result, { agentId, id: event.callId, part: "result" });
      return result === event.result ? event : { ...event, result };
    }
    default:
      return event;
  }
}

export function cutMessage(message: AgentMessage, agentId: string): AgentMessage {
  switch (message.role) {
    case "assistant":
      return withContent(message, cutAnswer(message, agentId));
    case "user":
      return withContent(
        message,
        cutParts(message.content, (part) => ({ agentId, id: message.id, part })),
      );
    case "toolResult":
      return withContent(
        message,
        cutParts(message.content, () => ({ agentId, id: message.callId, part: "result" })),
      );
    case "summary":
    case "agentResponse": {
      const cut = cutText(message.text, maxShownCharacters);
      const source: TextSource = { agentId, id: message.id, part: 0 };
      return cut.bytes === 0 ? message : { ...message, text: cut.text, ...omitted(source, cut.bytes) };
    }
    default:
      return message;
  }
}

function withContent<Message extends AgentMessage & { content: readonly unknown[] }>(
  message: Message,
  content: Message["content"],
): Message {
  return content.every((part, index) => part === message.content[index]) ? message : { ...message, content };
}

/** Calls have a room of their own, so that a card names what it is about below a long text, too. */
function cutAnswer({ id, content }: AssistantMessage, agentId: string): AssistantMessage["content"] {
  let room = maxShownCharacters;
  return content.map((part, index) => {
    if (part.type === "toolCall") {
      const { value, bytes } = cutJson(part.arguments);
      if (bytes === 0) return part;
      return { ...part, arguments: value, ...omitted({ agentId, id: part.id, part: "arguments" }, bytes) };
    }
    const { text, bytes } = cutText(part.text, room);
    room -= text.length;
    return bytes === 0 ? part : { ...part, text, ...omitted({ agentId, id, part: index }, bytes) };
  });
}

/** The texts of the parts share the room; pictures stay. */
function cutParts<Part extends { type: string }>(
  parts: readonly (Part | { type: "text"; text: string })[],
  sourceOf: (index: number) => TextSource,
): Part[] {
  let room = maxShownCharacters;
  return parts.map((part, index) => {
    // The spread keeps the part's own type; only its text is shorter.
    if (part.type !== "text" || !("text" in part)) return part as Part;
    const { text, bytes } = cutText(part.text, room);
    room -= text.length;
    return (bytes === 0 ? part : { ...part, text, ...omitted(sourceOf(index), bytes) }) as unknown as Part;
  });
}

function cutResult(result: ToolResult, source: TextSource): ToolResult {
  if (typeof result.content !== "string") {
    const content = cutParts(result.content, () => source);
    return content.every((part, index) => part === result.content[index]) ? result : { ...result, content };
  }
  const { text, bytes } = cutText(result.content, maxShownCharacters);
  return bytes === 0 ? result : { ...result, content: text, ...omitted(source, bytes) };
}

function omitted(source: TextSource, bytes: number): { omitted: Omitted } {
  return { omitted: { source, bytes } };
}

/** The beginning of a text, to the end of a line where one is near, and how many bytes follow it. */
function cutText(text: string, room: number): { text: string; bytes: number } {
  if (text.length <= Math.max(0, room)) return { text, bytes: 0 };
  if (room <= 0) return { text: "", bytes: Buffer.byteLength(text) };
  const lineEnd = text.lastIndexOf("\n", room - 1) + 1;
  let end = lineEnd > room - lineSearchLength ? lineEnd : room;
  if (/[\ud800-\udbff]/.test(text[end - 1] ?? "")) end -= 1;
  return { text: text.slice(0, end), bytes: Buffer.byteLength(text.slice(end)) };
}

/** Of a value as JSON has it: strings are cut, and lists end, where the room does. Names stay. */
function cutJson(whole: unknown): { value: unknown; bytes: number } {
  let room = maxShownCharacters;
  let bytes = 0;
  const leaveOut = (value: unknown) => {
    bytes += Buffer.byteLength(JSON.stringify(value) ?? "");
  };
  const cut = (value: unknown): unknown => {
    if (typeof value === "string") {
      const part = cutText(value, room);
      room -= part.text.length;
      bytes += part.bytes;
      return part.bytes === 0 ? value : part.text;
    }
    if (typeof value !== "object" || value === null) {
      room -= 1;
      return value;
    }
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const [index, item] of value.entries()) {
        if (room <= 0) {
          leaveOut(value.slice(index));
          return items;
        }
        room -= 1;
        items.push(cut(item));
      }
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    const entries: [string, unknown][] = [];
    for (const [name, item] of Object.entries(value)) {
      if (room <= 0 && typeof item !== "string") leaveOut(item);
      else {
        room -= name.length;
        entries.push([name, cut(item)]);
      }
    }
    const isSame = entries.every(([name, item]) => Reflect.get(value, name) === item);
    return isSame && entries.length === Object.keys(value).length ? value : Object.fromEntries(entries);
  };
  const value = cut(whole);
  return bytes === 0 ? { value: whole, bytes } : { value, bytes };
}

/** What a panel has got of texts that are being written. Behind the limit it gets no more until their end. */
export class WrittenTexts {
  readonly #lengths = new Map<string, number>();

  /** The panel gets what an agent has written so far: what follows goes on behind that. */
  begin(latest: AgentMessage | undefined): void {
    if (latest?.role !== "assistant") return;
    const length = latest.content.reduce((sum, part) => sum + (part.type === "toolCall" ? 0 : part.text.length), 0);
    this.#lengths.set(latest.id, length);
  }

  /** Undefined: nothing of the event is for the panel. */
  limit(event: AgentEvent): AgentEvent | undefined {
    if (event.type === "message_end") this.#lengths.delete(event.message.id);
    if (event.type !== "message_update") return event;
    const { messageId, delta } = event;
    if ("content" in delta)
      return withDelta(event, { ...delta, content: cutText(delta.content, maxShownCharacters).text });
    if ("call" in delta) {
      const { value, bytes } = cutJson(delta.call.arguments);
      return bytes === 0 ? event : withDelta(event, { ...delta, call: { ...delta.call, arguments: value } });
    }
    if (!("delta" in delta)) return event;
    const length = this.#lengths.get(messageId) ?? 0;
    const room = maxShownCharacters - length;
    if (room <= 0) return undefined;
    this.#lengths.set(messageId, length + delta.delta.length);
    return delta.delta.length <= room ? event : withDelta(event, { ...delta, delta: cutText(delta.delta, room).text });
  }

  clear(): void {
    this.#lengths.clear();
  }
}

type Update = Extract<AgentEvent, { type: "message_update" }>;

function withDelta(event: Update, delta: Update["delta"]): Update {
  return { ...event, delta };
}
