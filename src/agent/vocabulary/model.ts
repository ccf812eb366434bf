import type { ErrorFacts } from "./errors.ts";
import type { AssistantMessage, LlmMessage, ToolCall, ToolDefinition } from "./messages.ts";
import type { Price } from "./usage.ts";

/** How much a model may think before it answers. "off" is its least, which for some models is not nothing. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** A model as the library knows it. Sizes are tokens; what is unknown is absent. */
export interface Model {
  id: string;
  provider: string;
  name?: string;
  contextWindow?: number;
  maxOutput?: number;
  price?: Price;
  /** Wins over the provider's configured base URL. */
  baseUrl?: string;
}

/** Options of one model request. */
export interface StreamOptions {
  signal?: AbortSignal;
  /** Wins over the provider's configured key. */
  apiKey?: string;
  thinkingLevel?: ThinkingLevel;
  sessionId?: string;
  /** Output limit in tokens. */
  maxOutput?: number;
  temperature?: number;
  /**
   * How long the provider keeps what it has cached of the request: "long" (an hour or more, at a higher price) where an
   * answer may wait for a person. Default: as the provider has it, mostly minutes.
   */
  cacheLifetime?: "long";
  headers?: Record<string, string>;
  /** The answer is to be JSON by this schema: for a `StreamFn` that is marked with `withNativeOutput`. */
  output?: OutputFormat;
  /** Sees the body just before it is sent. */
  onRequest?(body: unknown): void;
  /** May replace the body just before it is sent. */
  rewriteRequest?(body: unknown): unknown;
  onResponse?(status: number, headers: Record<string, string>): void;
}

/** What one request shows the model. */
export interface ModelRequest {
  systemPrompt: string;
  messages: LlmMessage[];
  tools: ToolDefinition[];
}

/**
 * Reaches a model for one turn. Failures arrive as a terminal `error` event rather than as a throw; a stream that
 * ends without `done` or `error` counts as failed.
 */
export type StreamFn = (model: Model, request: ModelRequest, options: StreamOptions) => AsyncIterable<StreamEvent>;

/** A schema that an answer has to follow: JSON schema, of an object. */
export interface OutputFormat {
  name: string;
  schema: Record<string, unknown>;
}

/** Marks a `StreamFn` that heeds `StreamOptions.output`; with any other, a typed output is asked for by a tool. */
export function withNativeOutput(streamFn: StreamFn): StreamFn {
  return Object.assign(streamFn, { nativeOutput: true });
}

export function hasNativeOutput(streamFn: StreamFn): boolean {
  return "nativeOutput" in streamFn && streamFn.nativeOutput === true;
}

/** One addition to an assistant message. `index` is the content part it belongs to. */
export type MessageDelta =
  | { type: "text_start" | "thinking_start"; index: number }
  | { type: "text_delta" | "thinking_delta"; index: number; delta: string }
  | { type: "text_end" | "thinking_end"; index: number; content: string }
  | { type: "toolcall_start"; index: number; callId: string; toolName: string }
  /** `delta` is raw JSON text of the arguments. */
  | { type: "toolcall_delta"; index: number; delta: string }
  | { type: "toolcall_end"; index: number; call: ToolCall };

/** What a `StreamFn` yields. `done` and `error` are terminal. */
export type StreamEvent =
  | MessageDelta
  | { type: "start" }
  | { type: "retry"; attempt: number; delayMs: number; error: string; errorFacts?: ErrorFacts }
  | { type: "warning"; message: string }
  | { type: "done" | "error"; message: AssistantMessage };
