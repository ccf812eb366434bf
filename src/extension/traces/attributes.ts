import type { AgentEvent, AgentMeta, AssistantMessage, StopReason, Usage } from "../../agent/index.ts";

/** What the conventions call the ways in which an answer ends. */
const finishReasons: Readonly<Record<StopReason, string>> = {
  stop: "stop",
  toolUse: "tool_calls",
  length: "length",
  error: "error",
  aborted: "cancelled",
};

export function agentAttributes({ id, name, parentId }: AgentMeta): SpanAttributes {
  return {
    "gen_ai.agent.id": id,
    ...(name !== undefined && { "gen_ai.agent.name": name }),
    ...(parentId !== undefined && { "arbor.agent.parent_id": parentId }),
  };
}

/** `input_tokens` counts all that the model was shown, from caches too. */
export function usageAttributes({ input, output, cacheRead, cacheWrite, reasoning }: Usage): SpanAttributes {
  return {
    "gen_ai.usage.input_tokens": input + cacheRead + cacheWrite,
    "gen_ai.usage.output_tokens": output,
    ...(cacheRead > 0 && { "gen_ai.usage.cache_read.input_tokens": cacheRead }),
    ...(cacheWrite > 0 && { "gen_ai.usage.cache_creation.input_tokens": cacheWrite }),
    ...(reasoning > 0 && { "gen_ai.usage.reasoning.output_tokens": reasoning }),
  };
}

export function chatAttributes(message: AssistantMessage): SpanAttributes {
  const { model, provider, usage, stopReason, errorKind } = message;
  const isFailed = stopReason === "error" || stopReason === "aborted";
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": provider,
    "gen_ai.request.model": model,
    "gen_ai.response.finish_reasons": [finishReasons[stopReason]],
    ...(usage !== undefined && usageAttributes(usage)),
    ...(isFailed && { "error.type": stopReason === "aborted" ? "aborted" : (errorKind ?? "unknown") }),
  };
}

export function toolAttributes(event: Extract<AgentEvent, { type: "tool_execution_end" }>): SpanAttributes {
  return {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": event.toolName,
    "gen_ai.tool.call.id": event.callId,
    "gen_ai.tool.type": "function",
    ...(event.isError && { "error.type": "tool_error" }),
  };
}

/** One step of a run. Names of attributes follow the OpenTelemetry conventions for generative AI. */
export interface Span {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: "internal" | "client";
  /** Milliseconds since the epoch. */
  startTime: number;
  endTime: number;
  attributes: SpanAttributes;
  status: "unset" | "error";
}

export type SpanAttributes = Record<string, string | number | boolean | string[]>;
