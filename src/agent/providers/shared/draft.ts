import type { AssistantMessage, TextPart, ThinkingPart, ToolCall } from "../../vocabulary/messages.ts";
import type { Model, StreamEvent } from "../../vocabulary/model.ts";
import { contextTokens, type Usage } from "../../vocabulary/usage.ts";
import { failure, type ProviderFailure } from "./failure.ts";

/** A text or thinking part that grows. It enters the message with its first character. */
export interface OpenText {
  readonly part: TextPart | ThinkingPart;
  index: number;
  readonly deltaType: "text_delta" | "thinking_delta";
}

/**
 * How a call is written: as JSON, or as free text that is one of its arguments. Free text of a tool that was not offered
 * as such is no argument of any name.
 */
export type CallInput = "json" | "text" | { argument: string };

/** A tool call whose arguments grow as text. */
export interface OpenCall {
  readonly call: ToolCall;
  readonly index: number;
  /** The id that the provider gave, where it gave one. */
  givenId: unknown;
  text: string;
  readonly input: CallInput;
  isClosed: boolean;
}

/** Why a whole message ended. */
export type Completion = "stop" | "toolUse" | "length";

/** The message of one attempt while it arrives: parts grow, events queue up for the reader of the stream. */
export class MessageDraft {
  readonly #content: AssistantMessage["content"] = [];
  readonly #calls: OpenCall[] = [];
  readonly #model: Model;
  readonly #isTaken: (callId: string) => boolean;
  #queue: StreamEvent[] = [];
  usage: Usage | undefined;
  /** True once something of the answer was handed out: from then on, asking again would repeat it. */
  hasBegun = false;

  /** `isTaken` is true for call ids that the conversation already uses. */
  constructor(model: Model, isTaken: (callId: string) => boolean) {
    this.#model = model;
    this.#isTaken = isTaken;
  }

  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  get isEmpty(): boolean {
    return this.#content.length === 0;
  }

  /** Nothing but thoughts and blanks. */
  get saysNothing(): boolean {
    return this.#content.every((part) => part.type === "thinking" || (part.type === "text" && part.text.trim() === ""));
  }

  /** The request filled the whole window, so that nothing was left for an answer. */
  get hasFilledWindow(): boolean {
    const { contextWindow } = this.#model;
    return this.usage !== undefined && contextWindow !== undefined && contextTokens(this.usage) >= contextWindow;
  }

  /** The events since the last call. */
  takeEvents(): StreamEvent[] {
    const events = this.#queue;
    if (events.length > 0) this.#queue = [];
    return events;
  }

  /** Something that the user should know of this answer, and the model need not. */
  warn(message: string): void {
    this.#queue.push({ type: "warning", message });
  }

  openText(type: "text" | "thinking"): OpenText {
    return { part: { type, text: "" }, index: -1, deltaType: type === "text" ? "text_delta" : "thinking_delta" };
  }

  append(open: OpenText, delta: string): void {
    if (delta === "") return;
    if (open.index < 0) this.#begin(open);
    open.part.text += delta;
    this.#queue.push({ type: open.deltaType, index: open.index, delta });
  }

  /** A part that got no text vanishes, except thinking that the provider wants back by its signature. */
  closeText(open: OpenText): void {
    if (open.index < 0) {
      if (open.part.type === "text" || open.part.signature === undefined) return;
      this.#begin(open);
    }
    const type = open.part.type === "text" ? "text_end" : "thinking_end";
    this.#queue.push({ type, index: open.index, content: open.part.text });
  }

  openCall(id: unknown, name: string, input: CallInput = "json"): OpenCall {
    const callId = this.#uniqueId(id);
    const call: ToolCall = { type: "toolCall", id: callId, name, arguments: "" };
    const open: OpenCall = { call, index: this.#content.length, givenId: id, text: "", input, isClosed: false };
    this.hasBegun = true;
    this.#content.push(call);
    this.#calls.push(open);
    this.#queue.push({ type: "toolcall_start", index: open.index, callId, toolName: name });
    return open;
  }

  appendCall(open: OpenCall, delta: string): void {
    if (delta === "") return;
    // A reader of deltas gets JSON, however the call is written.
    const added = typeof open.input === "string" ? delta : startOfJson(open) + insideJson(delta);
    open.text += delta;
    this.#queue.push({ type: "toolcall_delta", index: open.index, delta: added });
  }

  /** Takes the id that the provider settles on, if it began with another. */
  renameCall(open: OpenCall, id: unknown): void {
    if (typeof id !== "string" || id === "" || id === open.givenId) return;
    open.givenId = id;
    open.call.id = this.#uniqueId(id);
  }

  /** Closes a call whose text is whole and an object. Any other stays open, to be judged when the message ends. */
  closeCall(open: OpenCall): void {
    if (open.isClosed) return;
    const parsed = readArguments(open);
    if (parsed === undefined) return;
    if (typeof open.input !== "string") {
      this.#queue.push({ type: "toolcall_delta", index: open.index, delta: `${startOfJson(open)}"}` });
    }
    this.#end(open, parsed);
  }

  /** The whole message; or the reason why it must not count as one. */
  complete(completion: Completion): AssistantMessage | ProviderFailure {
    // Of free text nothing shows that it is whole but the end that the provider gave it.
    for (const open of this.#calls) if (typeof open.input === "string") this.closeCall(open);
    const cut = this.#calls.find((open) => !open.isClosed);
    if (completion === "length") {
      for (const open of this.#calls) if (!open.isClosed) this.#end(open, argumentsSoFar(open));
    } else if (cut !== undefined) {
      return failure("incomplete", { type: "badArguments", toolName: cut.call.name });
    } else if (completion === "toolUse" && !this.hasCalls) {
      return failure("incomplete", { type: "missingCalls" }, true);
    }
    return this.message(completion);
  }

  /** The message as far as it got. Arguments that were cut stay the text they are. */
  message(stopReason: AssistantMessage["stopReason"]): AssistantMessage {
    for (const open of this.#calls) if (!open.isClosed) open.call.arguments = argumentsSoFar(open);
    return {
      role: "assistant",
      id: crypto.randomUUID(),
      content: this.#content,
      model: this.#model.id,
      provider: this.#model.provider,
      ...(this.usage === undefined ? {} : { usage: this.usage }),
      stopReason,
      timestamp: Date.now(),
    };
  }

  #uniqueId(id: unknown): string {
    return uniqueCallId(id, (taken) => this.#isTaken(taken) || this.#calls.some(({ call }) => call.id === taken));
  }

  #begin(open: OpenText): void {
    this.hasBegun = true;
    open.index = this.#content.length;
    this.#content.push(open.part);
    this.#queue.push({ type: open.part.type === "text" ? "text_start" : "thinking_start", index: open.index });
  }

  #end(open: OpenCall, value: unknown): void {
    open.isClosed = true;
    open.call.arguments = value;
    this.#queue.push({ type: "toolcall_end", index: open.index, call: open.call });
  }
}

/** The text of the arguments as far as it has come: JSON, but for free text of an unknown tool. */
function argumentsSoFar({ input, text }: OpenCall): string {
  return typeof input === "string" || text === "" ? text : startOfJson({ input, text: "" }) + insideJson(text);
}

/** What is before the first character of an argument that comes as free text. */
function startOfJson({ input, text }: Pick<OpenCall, "input" | "text">): string {
  return typeof input === "string" || text !== "" ? "" : `{${JSON.stringify(input.argument)}:"`;
}

function insideJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function readArguments({ input, text }: OpenCall): unknown {
  if (input === "json") return parseArguments(text);
  return input === "text" ? text : { [input.argument]: text };
}

/** Strict: the whole text is one JSON object, or it is nothing. No text at all means no arguments. */
function parseArguments(text: string): object | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * An id for a tool call that nothing else in the conversation has. Some servers leave ids out or count from zero in
 * every answer, while results and the agent tree are found by them.
 */
function uniqueCallId(id: unknown, isTaken: (id: string) => boolean): string {
  const wanted = typeof id === "string" && id !== "" && id !== "__proto__" ? id : "call";
  if (wanted !== "call" && !isTaken(wanted)) return wanted;
  let number = 1;
  while (isTaken(`${wanted}_${number}`)) number += 1;
  return `${wanted}_${number}`;
}
