import * as z from "zod";
import type { AgentEvent } from "../../agent/types.ts";
import { agentEventBaseSchema, agentEventSchema, agentEventTypes } from "../../protocol/agentEventSchemas.ts";
import { hostEventSchema, hostEventTypes } from "../../protocol/hostEventSchemas.ts";
import type { HostEvent } from "../../protocol/hostEvents.ts";
import type { LogEntry } from "../../protocol/messages.ts";
import type { Tail } from "./records.ts";

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
  if (isAgentEvent(agent)) return { seq, agent, ...more };
  if (isHostEvent(host)) return { seq, host, ...more };
  return undefined;
}

const typed = z.looseObject({ type: z.string() });

/** An event of a type that a later version added is taken as it is: the folds ignore it. */
export function isAgentEvent(event: unknown): event is AgentEvent {
  const { type } = typed.safeParse(event).data ?? {};
  const schema = agentEventTypes.has(type ?? "") ? agentEventSchema : agentEventBaseSchema;
  return schema.safeParse(event).success;
}

function isHostEvent(event: unknown): event is HostEvent {
  const { type } = typed.safeParse(event).data ?? {};
  const schema = hostEventTypes.has(type ?? "") ? hostEventSchema : typed;
  return schema.safeParse(event).success;
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
  const event = typed.safeParse(agent ?? host).data;
  if (event === undefined) return typeof kind === "string" && !isKnownKind(kind) ? undefined : "odd";
  if (kind !== undefined && kind !== event.type) return "odd";
  return (agent === undefined ? isHostEvent(host) : isAgentEvent(agent)) ? undefined : "odd";
}

function isKnownKind(kind: string): boolean {
  return agentEventTypes.has(kind) || hostEventTypes.has(kind);
}
