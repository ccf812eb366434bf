import type { ErrorFacts } from "./errors.ts";
import type { Usage } from "./usage.ts";

export type StopReason = "stop" | "toolUse" | "length" | "error" | "aborted";

/**
 * What a host can offer to do about a failed request: set a key (`auth`), pick another model (`not_found`,
 * `overloaded`), pay (`billing`), wait (`rate_limit`), compact (`context`), look at the connection or the base URL
 * (`network`), ask again (`incomplete`), or change what was asked (`rejected`).
 */
export type ProviderErrorKind =
  | "auth"
  | "not_found"
  | "billing"
  | "rate_limit"
  | "overloaded"
  | "context"
  | "network"
  | "incomplete"
  | "rejected"
  | "unknown";

export interface TextPart {
  type: "text";
  text: string;
  /** What the provider calls this part of its answer, and wants back: "commentary" or "final_answer". */
  phase?: string;
}

export interface ImagePart {
  type: "image";
  mimeType: string;
  /** base64 */
  data: string;
}

export interface ThinkingPart {
  type: "thinking";
  text: string;
  /** What the provider wants back to accept the thinking again: a signature or encrypted content. */
  signature?: string;
}

export interface ToolCall {
  type: "toolCall";
  id: string;
  name: string;
  arguments: unknown;
  /** What the provider wants back beside the call, as JSON text. */
  signature?: string;
}

export interface UserMessage {
  role: "user";
  id: string;
  content: (TextPart | ImagePart)[];
  timestamp: number;
  meta?: Record<string, unknown>;
}

export interface AssistantMessage {
  role: "assistant";
  id: string;
  content: (ThinkingPart | TextPart | ToolCall)[];
  model: string;
  provider: string;
  usage?: Usage;
  stopReason: StopReason;
  errorMessage?: string;
  /** The kind of failure that `errorMessage` describes, for a host that offers a way out. */
  errorKind?: ProviderErrorKind;
  /** What `errorMessage` says, as data, for a host that says it in another language. */
  errorFacts?: ErrorFacts;
  /** How long the model thought, in milliseconds; absent below a second. */
  thinkingMs?: number;
  /** What the provider asked to wait before it is asked again, in milliseconds. */
  retryAfterMs?: number;
  timestamp: number;
}

export interface ToolResultMessage {
  role: "toolResult";
  id: string;
  callId: string;
  toolName: string;
  content: (TextPart | ImagePart)[];
  isError: boolean;
  details?: unknown;
  timestamp: number;
}

/** A checkpoint: everything before it is represented by `text`, except what `keepFrom` (a message id) keeps. */
export interface SummaryMessage {
  role: "summary";
  id: string;
  text: string;
  keepFrom?: string;
  timestamp: number;
}

/** An answer that another agent sent on its own. */
export interface AgentResponseMessage {
  role: "agentResponse";
  id: string;
  from: { id: string; name?: string };
  text: string;
  timestamp: number;
}

/** Open for declaration merging: messages of an application that the model never sees. */
// biome-ignore lint/suspicious/noEmptyInterface: an empty interface is what declaration merging extends.
export interface CustomMessages {}

export type LlmMessage = UserMessage | AssistantMessage | ToolResultMessage;
export type AgentMessage = LlmMessage | SummaryMessage | AgentResponseMessage | CustomMessages[keyof CustomMessages];

/** A user message of one text part, followed by images in the given order. */
export function userMessage(text: string, ...images: ImagePart[]): UserMessage {
  return {
    role: "user",
    id: crypto.randomUUID(),
    content: [{ type: "text", text }, ...images.map((image) => ({ ...image }))],
    timestamp: Date.now(),
  };
}

/** The text parts of a message, joined; thinking, calls and images are not text. */
export function textOf(message: AgentMessage): string {
  if (message.role === "summary" || message.role === "agentResponse") return message.text;
  if (!isLlmMessage(message)) return "";
  let text = "";
  for (const part of message.content) if (part.type === "text") text += part.text;
  return text;
}

/** Whether a model can be shown this message as it is. */
export function isLlmMessage(message: AgentMessage): message is LlmMessage {
  return message.role === "user" || message.role === "assistant" || message.role === "toolResult";
}

/** A tool as a provider sees it; `parameters` is a JSON schema. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  freeText?: FreeTextInput;
}

/** That a tool's only argument may come as free text instead of JSON, from models and providers that can do so. */
export interface FreeTextInput {
  argument: string;
  /** What the text follows, in Lark's notation. */
  grammar: string;
}

/** What a tool answers. `terminate` is a hint that all calls of a batch must share; `control` is decisive. */
export interface ToolResult<D = unknown> {
  content: string | (TextPart | ImagePart)[];
  details?: D;
  isError?: boolean;
  terminate?: boolean;
  control?: { type: "complete" | "return_to_user"; value: unknown };
}

const charactersPerToken = 4;

/**
 * A rough size in tokens: four characters each, floored per part. Counts text, thinking, tool results and the name and
 * arguments of calls; images count nothing, and neither do messages of an application, which no model sees.
 */
export function estimateTokens(messages: readonly AgentMessage[]): number {
  let tokens = 0;
  for (const message of messages) tokens += messageTokens(message);
  return tokens;
}

/** A memo, not state: a message of a transcript can't be changed, and long arguments take long to write as JSON. */
const knownTokens = new WeakMap<AgentMessage, number>();

function messageTokens(message: AgentMessage): number {
  const known = knownTokens.get(message);
  if (known !== undefined) return known;
  const tokens = countTokens(message);
  if (Object.isFrozen(message)) knownTokens.set(message, tokens);
  return tokens;
}

function countTokens(message: AgentMessage): number {
  switch (message.role) {
    case "user":
    case "assistant":
    case "toolResult":
      return contentTokens(message.content);
    case "summary":
    case "agentResponse":
      return textTokens(message.text.length);
    default:
      return 0;
  }
}

function contentTokens(content: readonly (AssistantMessage["content"][number] | TextPart | ImagePart)[]): number {
  let tokens = 0;
  for (const part of content) {
    if (part.type === "text" || part.type === "thinking") tokens += textTokens(part.text.length);
    else if (part.type === "toolCall") tokens += textTokens(part.name.length + jsonLength(part.arguments));
  }
  return tokens;
}

function textTokens(characters: number): number {
  return Math.floor(characters / charactersPerToken);
}

function jsonLength(value: unknown): number {
  return typeof value === "string" ? value.length : (JSON.stringify(value) ?? "").length;
}
