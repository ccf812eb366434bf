import * as z from "zod";
import type { AgentEvent, AgentMessage, ErrorFacts } from "../agent/types.ts";
import { notedAttachmentSchema } from "./attachmentSchema.ts";

const text = z.string();
const count = z.number();

export const usageSchema = z.object({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  cacheWriteHour: count.exactOptional(),
  reasoning: count,
  cost: count,
  isEstimate: z.literal(true).exactOptional(),
});

const errorFacts = z.object({
  // A code is the library's own; one that a later version adds is shown by its text.
  code: z.custom<ErrorFacts["code"]>((value) => typeof value === "string"),
  provider: text,
  model: text,
  host: text.exactOptional(),
  said: text.exactOptional(),
  status: count.exactOptional(),
  requestId: text.exactOptional(),
  seconds: count.exactOptional(),
  toolName: text.exactOptional(),
  known: z.array(text).exactOptional(),
  page: text.exactOptional(),
});

/** What the host left out of a text on its way to a panel (messageTexts.ts). */
const omitted = z
  .object({
    source: z.object({
      agentId: text,
      id: text,
      part: z.union([count, z.enum(["arguments", "result"])]),
    }),
    bytes: count,
  })
  .exactOptional();
const textPart = z.object({ type: z.literal("text"), text, phase: text.exactOptional(), omitted });
const imagePart = z.object({ type: z.literal("image"), mimeType: text, data: text });
const thinkingPart = z.object({ type: z.literal("thinking"), text, signature: text.exactOptional(), omitted });
const toolCall = z.object({
  ...{ type: z.literal("toolCall"), id: text, name: text, arguments: z.unknown() },
  signature: text.exactOptional(),
  omitted,
});
const content = z.array(z.discriminatedUnion("type", [textPart, imagePart]));

const userMessage = z.object({
  role: z.literal("user"),
  id: text,
  content,
  timestamp: count,
  meta: z.looseObject({ attachments: z.array(notedAttachmentSchema).exactOptional() }).exactOptional(),
});
const assistantMessage = z.object({
  role: z.literal("assistant"),
  id: text,
  content: z.array(z.discriminatedUnion("type", [thinkingPart, textPart, toolCall])),
  model: text,
  provider: text,
  usage: usageSchema.exactOptional(),
  stopReason: z.enum(["stop", "toolUse", "length", "error", "aborted"]),
  errorMessage: text.exactOptional(),
  errorKind: z
    .enum([
      ...["auth", "not_found", "billing", "rate_limit", "overloaded"],
      ...["context", "network", "incomplete", "rejected", "unknown"],
    ] as const)
    .exactOptional(),
  errorFacts: errorFacts.exactOptional(),
  thinkingMs: count.exactOptional(),
  timestamp: count,
});
const toolResultMessage = z.object({
  role: z.literal("toolResult"),
  id: text,
  callId: text,
  toolName: text,
  content,
  isError: z.boolean(),
  details: z.unknown().optional(),
  timestamp: count,
});
const summaryMessage = z.object({
  role: z.literal("summary"),
  id: text,
  text,
  keepFrom: text.exactOptional(),
  timestamp: count,
  omitted,
});
const agentResponseMessage = z.object({
  role: z.literal("agentResponse"),
  id: text,
  from: z.object({ id: text, name: text.exactOptional() }),
  text,
  timestamp: count,
  omitted,
});

/** A message of an agent's transcript. */
export const messageSchema: z.ZodType<AgentMessage> = z.discriminatedUnion("role", [
  userMessage,
  assistantMessage,
  toolResultMessage,
  summaryMessage,
  agentResponseMessage,
]);

const agentMeta = z.object({
  id: text,
  name: text.exactOptional(),
  prefix: text,
  depth: count,
  parentId: text.exactOptional(),
  toolCallId: text.exactOptional(),
  label: text.exactOptional(),
  model: text.exactOptional(),
});

const toolResult = z.object({
  content: z.union([text, content]),
  details: z.unknown().optional(),
  isError: z.boolean().exactOptional(),
  terminate: z.boolean().exactOptional(),
  control: z.object({ type: z.enum(["complete", "return_to_user"]), value: z.unknown() }).exactOptional(),
  omitted,
});

const index = count;
const messageDelta = z.discriminatedUnion("type", [
  z.object({ type: z.enum(["text_start", "thinking_start"]), index }),
  z.object({ type: z.enum(["text_delta", "thinking_delta"]), index, delta: text }),
  z.object({ type: z.enum(["text_end", "thinking_end"]), index, content: text }),
  z.object({ type: z.literal("toolcall_start"), index, callId: text, toolName: text }),
  z.object({ type: z.literal("toolcall_delta"), index, delta: text }),
  z.object({ type: z.literal("toolcall_end"), index, call: toolCall }),
]);

const error = z.object({
  code: z.enum([
    ...["busy", "aborted", "provider", "max_tokens", "max_iterations", "limit", "validation", "hook"],
    ...["scope_closed", "empty_transcript", "cannot_continue", "fatal_tool", "bad_input", "timeout"],
  ] as const),
  message: text,
});

const base = { agent: agentMeta, sessionId: text, runId: text, seq: count, timestamp: count };
const call = { ...base, callId: text, toolName: text };

const eventSchemas = z.discriminatedUnion("type", [
  z.object({ ...base, type: z.literal("agent_start"), resumes: z.literal(true).exactOptional() }),
  z.object({
    ...base,
    type: z.literal("agent_end"),
    reason: z.enum(["done", "completed", "returned", "stopped", "limit", "aborted", "error"]),
    messages: z.array(messageSchema),
    finalMessage: assistantMessage.exactOptional(),
    result: z.unknown().optional(),
    usage: usageSchema,
    error: error.exactOptional(),
  }),
  z.object({ ...base, type: z.literal("turn_start"), index }),
  z.object({
    ...base,
    type: z.literal("turn_end"),
    index,
    message: assistantMessage,
    toolResults: z.array(toolResultMessage),
  }),
  z.object({ ...base, type: z.literal("message_start"), message: messageSchema }),
  z.object({ ...base, type: z.literal("message_update"), messageId: text, delta: messageDelta }),
  z.object({ ...base, type: z.literal("message_end"), message: messageSchema }),
  z.object({ ...call, type: z.literal("tool_execution_start"), label: text.exactOptional(), args: z.unknown() }),
  z.object({
    ...call,
    type: z.literal("tool_execution_update"),
    partial: toolResult.exactOptional(),
    output: text.exactOptional(),
  }),
  z.object({
    ...call,
    type: z.literal("tool_execution_end"),
    result: toolResult,
    isError: z.boolean(),
    durationMs: count,
  }),
  z.object({
    ...base,
    type: z.literal("usage"),
    delta: usageSchema,
    own: usageSchema,
    total: usageSchema,
    contextTokens: count,
    contextPercent: count,
  }),
  z.object({
    ...base,
    type: z.literal("queue_update"),
    steering: count,
    followUp: count,
    delivered: messageSchema.exactOptional(),
    kind: z.enum(["steering", "followUp"]).exactOptional(),
  }),
  z.object({ ...base, type: z.literal("compaction_start") }),
  z.object({
    ...base,
    type: z.literal("compaction_end"),
    kind: z.enum(["trim", "summary"]),
    before: count,
    after: count,
  }),
  z.object({
    ...base,
    type: z.literal("limit_reached"),
    limit: z.enum(["turns", "cost", "spend", "tokens", "depth", "iterations", "time"]),
  }),
  z.object({
    ...base,
    type: z.literal("validation"),
    attempt: count,
    valid: z.boolean(),
    feedback: text.exactOptional(),
  }),
  z.object({ ...base, type: z.literal("agent_spawned"), child: agentMeta }),
  z.object({ ...base, type: z.literal("agent_exit"), child: agentMeta, reason: text.exactOptional() }),
  z.object({
    ...base,
    type: z.literal("transcript"),
    messages: z.array(messageSchema),
    own: usageSchema,
    total: usageSchema,
    reason: z.enum(["initial", "added", "reset", "rewind", "checkpoint"]),
  }),
  z.object({ ...base, type: z.literal("warning"), message: text }),
  z.object({
    ...base,
    type: z.literal("retry"),
    attempt: count,
    delayMs: count,
    error: text,
    errorFacts: errorFacts.exactOptional(),
  }),
]);

/** An event of an agent, as the panel gets it and as session files hold it. */
export const agentEventSchema: z.ZodType<AgentEvent> = eventSchemas;

// The compiler says here which types of the library's events have no schema.
type Missing = Exclude<AgentEvent["type"], z.infer<typeof eventSchemas>["type"]>;
({}) satisfies Record<Missing, never>;
