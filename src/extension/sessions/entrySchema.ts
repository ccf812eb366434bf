import * as z from "zod";
import { hostEventSchemas } from "../../protocol/hostEventSchemas.ts";
import type { LogEntry } from "../../protocol/messages.ts";
import type { Tail } from "./records.ts";

/** What of an entry the folds and the panel rely on; whatever else is there stays. */
export const usage = z.looseObject({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  reasoning: z.number(),
  cost: z.number(),
});
const part = z.looseObject({ type: z.string() });
const parts = z.array(part);
const message = z.discriminatedUnion("role", [
  z.looseObject({ role: z.enum(["user", "assistant"]), id: z.string(), content: parts }),
  z.looseObject({ role: z.literal("toolResult"), id: z.string(), callId: z.string(), content: parts }),
  z.looseObject({ role: z.literal("summary"), id: z.string(), text: z.string() }),
  z.looseObject({ role: z.literal("agentResponse"), id: z.string(), text: z.string(), from: z.looseObject({}) }),
]);
const meta = z.looseObject({
  id: z.string(),
  prefix: z.string(),
  depth: z.number(),
  parentId: z.string().exactOptional(),
});
const result = z.looseObject({ content: z.union([z.string(), parts]) });

const bodies: Record<string, z.ZodType> = {
  agent_end: z.looseObject({ reason: z.string() }),
  message_start: z.looseObject({ message }),
  message_update: z.looseObject({
    messageId: z.string(),
    delta: z.looseObject({ type: z.string(), index: z.number() }),
  }),
  message_end: z.looseObject({ message }),
  tool_execution_start: z.looseObject({ callId: z.string(), toolName: z.string() }),
  tool_execution_update: z.looseObject({ callId: z.string(), toolName: z.string() }),
  tool_execution_end: z.looseObject({ callId: z.string(), result, isError: z.boolean() }),
  usage: z.looseObject({ delta: usage, own: usage, total: usage, contextTokens: z.number() }),
  transcript: z.looseObject({ messages: z.array(message), own: usage, total: usage }),
  agent_spawned: z.looseObject({ child: meta }),
  agent_exit: z.looseObject({ child: meta }),
};
const agentEvent = z.looseObject({ agent: meta, seq: z.number(), timestamp: z.number(), type: z.string() });

export const agentEvents = z.array(z.unknown().refine((event) => isEvent(agentEvent, bodies, event)));

const hostEvent = z.looseObject({ type: z.string() });

const envelope = z.looseObject({ seq: z.number() });
const tail = z.looseObject({
  printed: z.string().exactOptional(),
  spans: z.array(z.tuple([z.int(), z.int()])).exactOptional(),
  dropped: z.array(z.string()).exactOptional(),
});

/** Undefined for a record that is no entry of the log, or none that this version can use; "broken" for what is no JSON. */
export function parseEntry(line: Buffer): (LogEntry & Tail) | undefined | "broken" {
  let json: unknown;
  try {
    json = JSON.parse(line.toString("utf8"));
  } catch {
    return "broken";
  }
  const record = envelope.safeParse(json).data;
  if (record === undefined) return undefined;
  const { printed, spans, dropped } = tail.safeParse(json).data ?? {};
  const more: Tail = { ...(printed && { printed }), ...(spans && { spans }), ...(dropped && { dropped }) };
  const { seq, agent, host } = record;
  // Checked above as far as anything here relies on it; the rest is what an Arbor of some version wrote.
  if (isEvent(agentEvent, bodies, agent)) return { seq, agent, ...more } as LogEntry & Tail;
  if (isEvent(hostEvent, hostEventSchemas, host)) return { seq, host } as LogEntry & Tail;
  return undefined;
}

function isEvent(schema: z.ZodType<{ type: string }>, known: Record<string, z.ZodType>, event: unknown): boolean {
  const parsed = schema.safeParse(event);
  if (!parsed.success) return false;
  const { type } = parsed.data;
  return !Object.hasOwn(known, type) || known[type]?.safeParse(event).success === true;
}

/**
 * What is wrong with a line: "broken" when it is no JSON, "odd" when no version up to this one writes it. A record of an
 * unknown kind is left to the version that knows it.
 */
export function faultOf(line: Buffer): "broken" | "odd" | undefined {
  let json: unknown;
  try {
    json = JSON.parse(line.toString("utf8"));
  } catch {
    return "broken";
  }
  const record = envelope.safeParse(json).data;
  if (record === undefined) return "odd";
  const { kind, agent, host } = record;
  const event = hostEvent.safeParse(agent ?? host).data;
  if (event === undefined) return typeof kind === "string" && !isKnownKind(kind) ? undefined : "odd";
  if (kind !== undefined && kind !== event.type) return "odd";
  const isValid = agent === undefined ? isEvent(hostEvent, hostEventSchemas, host) : isEvent(agentEvent, bodies, agent);
  return isValid ? undefined : "odd";
}

function isKnownKind(kind: string): boolean {
  return Object.hasOwn(bodies, kind) || Object.hasOwn(hostEventSchemas, kind);
}
