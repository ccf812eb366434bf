import type { ErrorFacts } from "./errorFacts.ts";
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
  /** What kind of failure `errorMessage` tells of, for a host that offers a way out. */
  errorKind?: ProviderErrorKind;
  /** What `errorMessage` says, as data, for a host that says it in another language. */
  errorFacts?: ErrorFacts;
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

export { estimateTokens } from "./estimate.ts";
export { defaultConvertToLlm, repairTranscript, sinceCheckpoint } from "./projection.ts";

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
