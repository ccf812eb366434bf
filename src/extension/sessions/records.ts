import * as z from "zod";
import type { AgentEvent, ReportedUsage } from "../../agent/types.ts";
import { agentEventSchema, usageSchema } from "../../protocol/agentEventSchemas.ts";
import { hostEventSchema } from "../../protocol/hostEventSchemas.ts";
import { logEntrySchema } from "../../protocol/hostMessageSchemas.ts";
import type { LogEntry } from "../../protocol/messages.ts";

const format = "arbor-session";
/** Raised with every change that an older version would misread, new records among them. */
export const version = 1;

const headerSchema = z.looseObject({
  format: z.literal(format),
  version: z.number(),
  id: z.string(),
  createdAt: z.number(),
});

export type Header = z.infer<typeof headerSchema>;

/** The first line of a session's file. */
export function formatHeader(header: { id: string; createdAt: number }): string {
  return `${JSON.stringify({ format, version, ...header })}\n`;
}

export function parseHeader(line: Buffer | string): Header | undefined {
  try {
    return headerSchema.safeParse(JSON.parse(line.toString())).data;
  } catch {
    return undefined;
  }
}

/** Messages of one agent's, from a key to another, both included (transcriptHistory.ts). */
const spans = z.array(z.tuple([z.number(), z.number()]));
export type KeySpan = z.infer<typeof spans>[number];

const price = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number().exactOptional(),
  cacheWrite: z.number().exactOptional(),
});

const unfinished = z.object({
  agentId: z.string(),
  /** The id of the message or of the call. */
  key: z.string(),
  /** Starts, deltas and output, oldest first. */
  events: z.array(agentEventSchema),
  /** What the provider had reported of a request that has not ended. */
  reported: z.object({ usage: usageSchema, price: price.exactOptional() }).exactOptional(),
});

/** A message that is being streamed, or a call that is running: what is known of it so far. */
export interface Unfinished {
  events: AgentEvent[];
  reported?: ReportedUsage;
}

/** Of an answer, before it has ended. */
export function isWords({ type }: AgentEvent): boolean {
  return type === "message_start" || type === "message_update";
}

/** What the root agent says in it. What a call prints comes again with its end. */
export function wordsIn({ events }: Unfinished): AgentEvent[] {
  return events.filter((event) => event.agent.depth === 0 && isWords(event));
}

/** As it is saved. */
export interface UnfinishedPart extends Unfinished {
  agentId: string;
  key: string;
}

const seq = z.number();
/** When it was written, in milliseconds since 1970. */
const at = z.number().exactOptional();

const agentRecord = z.object({
  seq,
  /** Nothing of it is shown before a sub-agent is opened: it is skipped without being parsed. */
  isHidden: z.literal(true).exactOptional(),
  at,
  agent: agentEventSchema,
  /** With the end of a call: what it printed. */
  printed: z.string().exactOptional(),
  /**
   * With a transcript: its messages, as far as records before it hold them. The event has only the others. Absent: the
   * event has all of them.
   */
  spans: spans.exactOptional(),
});

const hostRecord = z.object({ seq, at, host: hostEventSchema });
const growingRecord = z.object({ seq, at, growing: unfinished });

export type AgentRecord = z.infer<typeof agentRecord>;
export type GrowingRecord = z.infer<typeof growingRecord>;
/** A line of a session's file, behind the header: an entry of the log, or a part of what is unfinished. */
export type StoredRecord = AgentRecord | z.infer<typeof hostRecord> | GrowingRecord;

const hiddenLine = /^\{"seq":[\d.]+,"isHidden":true,/;

/** Whether the line is a record that a page does not show. */
export function isHiddenLine(line: Buffer): boolean {
  return hiddenLine.test(line.toString("latin1", 0, 60));
}

export function formatRecord(record: StoredRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** A line that is no JSON, or JSON that this version does not write. */
export interface Fault {
  fault: "broken" | "unknown";
  seq?: number;
}

export function parseRecord(line: Buffer): StoredRecord | Fault {
  let json: unknown;
  try {
    json = JSON.parse(line.toString("utf8"));
  } catch {
    return { fault: "broken" };
  }
  if (schemaOf(json).safeParse(json).success) {
    // Validated, and returned as it was read: what the schema does not list stays in it.
    return json as StoredRecord;
  }
  const known = z.object({ seq }).safeParse(json).data?.seq;
  return { fault: "unknown", ...(known !== undefined && { seq: known }) };
}

function schemaOf(json: unknown): z.ZodType {
  if (typeof json !== "object" || json === null) return z.never();
  if ("agent" in json) return agentRecord;
  return "host" in json ? hostRecord : growingRecord;
}

/** Where a message is: its key, the line's offset from the segment's start, the line's length, its digest and role. */
const messageItem = z.tuple([z.number(), z.int(), z.int(), z.string(), z.string()]);
/** A transcript that replaced the messages: the number of its entry, and the messages that are in it. */
const transcriptItem = z.tuple([z.number(), spans]);

/**
 * The state after all records ahead of it, and an index of those since the snapshot before it, which the checksum shows
 * to be undamaged. It only repeats what they say: without it they are read one by one.
 */
const snapshotSchema = z.object({
  snapshot: z.object({
    /** CRC-32 of all bytes between the snapshot before (or the header) and this one. */
    crc: z.int(),
    lastSeq: z.number(),
    updatedAt: z.number(),
    tokens: z.number(),
    cost: z.number(),
    /** Of what a page shows, since the snapshot before. */
    shown: z.object({ entries: z.int(), bytes: z.int() }),
    /** Entries that fold to the state, without messages and calls. */
    state: z.array(logEntrySchema),
    unfinished: z.array(unfinished),
    /** By agent, what was added since the snapshot before. */
    histories: z.record(z.string(), z.array(z.union([messageItem, transcriptItem]))),
  }),
});

export type Snapshot = z.infer<typeof snapshotSchema>["snapshot"];

export const snapshotStart = '{"snapshot":';

export function formatSnapshot(snapshot: Snapshot): string {
  return `${JSON.stringify({ snapshot })}\n`;
}

export function parseSnapshot(line: Buffer): Snapshot | undefined {
  try {
    return snapshotSchema.safeParse(JSON.parse(line.toString("utf8"))).data?.snapshot;
  } catch {
    return undefined;
  }
}

/** What of a sub-agent's events the tree needs; its messages and calls are read when it is opened. */
const shownOfChildren = new Set(["agent_start", "agent_end", "usage", "transcript", "agent_spawned", "agent_exit"]);

export function isShown(record: LogEntry | GrowingRecord): boolean {
  if ("growing" in record) return false;
  return "host" in record || record.agent.agent.depth === 0 || shownOfChildren.has(record.agent.type);
}
