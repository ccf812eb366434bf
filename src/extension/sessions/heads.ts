import * as z from "zod";
import { keyOfHostEvent } from "../../protocol/hostEventTraits.ts";
import { parseEntry } from "./entrySchema.ts";
import { growingKind, type Head } from "./records.ts";
import { digestOf } from "./transcripts.ts";

/** A line in a buffer. A view of its own for each of a million lines would cost more than reading them. */
export interface LinePlace {
  buffer: Buffer;
  start: number;
  end: number;
}

/**
 * Undefined for what has no head: the header, what a later version added. "broken" for what is no JSON. Of one that is
 * not wanted, what is behind `of` is not read.
 */
export type ReadHead = { head: Head; isWanted: boolean } | undefined | "broken";

/** Reads the heads of records. One with another order of fields, as the first version wrote them, is parsed. */
export function headReader(isWanted: (head: Head) => boolean): (place: LinePlace) => ReadHead {
  const strings = new Map<string, string>();
  return (place) => {
    const fast = readFast({ ...place, at: place.start, strings }, isWanted);
    if (fast !== undefined) return fast;
    const head = readSlowly(place.buffer.subarray(place.start, place.end));
    return head === undefined || head === "broken" ? head : { head, isWanted: isWanted(head) };
  };
}

function readSlowly(line: Buffer): Head | undefined | "broken" {
  const entry = parseEntry(line);
  if (entry === undefined) return readGrowingHead(line);
  if (entry === "broken") return entry;
  const { seq } = entry;
  if ("host" in entry) {
    const key = keyOfHostEvent(entry.host);
    return { seq, at: 0, kind: entry.host.type, ...(key !== undefined && { key }) };
  }
  const { agent, timestamp, ...event } = entry.agent;
  const head = { seq, at: timestamp, kind: event.type, depth: agent.depth, of: agent.id };
  switch (event.type) {
    case "message_end":
      return { ...head, role: event.message.role, key: event.message.id, sum: digestOf(event.message) };
    case "tool_execution_start":
    case "tool_execution_end":
      return { ...head, key: event.callId };
    case "agent_spawned":
    case "agent_exit":
      return { ...head, key: event.child.id };
    default:
      return head;
  }
}

const growingHead = z.object({
  ...{ seq: z.number(), at: z.number(), kind: z.literal(growingKind) },
  ...{ depth: z.number(), of: z.string(), key: z.string() },
});

/** Of a record that is no entry of the log. */
function readGrowingHead(line: Buffer): Head | undefined {
  return growingHead.safeParse(JSON.parse(line.toString("utf8"))).data;
}

const fields = {
  seq: Buffer.from('{"seq":'),
  at: Buffer.from(',"at":'),
  kind: Buffer.from(',"kind":"'),
  depth: Buffer.from(',"depth":'),
  of: Buffer.from(',"of":"'),
  role: Buffer.from(',"role":"'),
  key: Buffer.from(',"key":"'),
  sum: Buffer.from(',"sum":"'),
  tokens: Buffer.from(',"tokens":'),
  cost: Buffer.from(',"cost":'),
  agent: Buffer.from(',"agent":'),
  growing: Buffer.from(',"growing":'),
  host: Buffer.from(',"host":'),
};

const quote = 34;
const comma = 44;
const backslash = 92;

/** Where one is in a line. A place below 0: this is no head as we write them. */
interface Cursor extends LinePlace {
  at: number;
  strings: Map<string, string>;
}

function readFast(cursor: Cursor, isWanted: (head: Head) => boolean): Exclude<ReadHead, "broken"> {
  const seq = skip(cursor, fields.seq) ? number(cursor) : Number.NaN;
  const at = skip(cursor, fields.at) ? number(cursor) : Number.NaN;
  const kind = skip(cursor, fields.kind) ? text(cursor) : undefined;
  if (Number.isNaN(seq + at) || kind === undefined) return undefined;
  const head: Head = { seq, at, kind };
  if (skip(cursor, fields.depth)) head.depth = number(cursor);
  if (!readText(cursor, head, "of")) return undefined;
  if (!isWanted(head)) return { head, isWanted: false };
  for (const field of ["role", "key", "sum"] as const) if (!readText(cursor, head, field)) return undefined;
  if (skip(cursor, fields.tokens)) head.tokens = number(cursor);
  if (skip(cursor, fields.cost)) head.cost = number(cursor);
  const isWhole = skip(cursor, bodyOf(head));
  return isWhole ? { head, isWanted: true } : undefined;
}

function bodyOf({ kind, of }: Head): Buffer {
  if (kind === growingKind) return fields.growing;
  return of === undefined ? fields.host : fields.agent;
}

function readText(cursor: Cursor, head: Head, field: "of" | "role" | "key" | "sum"): boolean {
  if (!skip(cursor, fields[field])) return true;
  const value = text(cursor);
  if (value !== undefined) head[field] = value;
  return value !== undefined;
}

function skip(cursor: Cursor, field: Buffer): boolean {
  const { buffer, at } = cursor;
  for (let index = 0; index < field.length; index++) if (buffer[at + index] !== field[index]) return false;
  cursor.at += field.length;
  return true;
}

function number(cursor: Cursor): number {
  const { buffer, at } = cursor;
  let end = at;
  while (end < cursor.end && buffer[end] !== comma) end++;
  cursor.at = end;
  return Number(buffer.toString("latin1", at, end));
}

/** Undefined where it is not plain ASCII: parsing the line is slower and right. */
function text(cursor: Cursor): string | undefined {
  const { buffer, at, strings } = cursor;
  let end = at;
  for (; end < cursor.end && buffer[end] !== quote; end++) {
    const byte = buffer[end] ?? 0;
    if (byte === backslash || byte > 126) return undefined;
  }
  cursor.at = end + 1;
  const value = buffer.toString("latin1", at, end);
  const known = strings.get(value);
  // Call ids are all different: they would only fill the table.
  if (known === undefined && strings.size < 10_000) strings.set(value, value);
  return known ?? value;
}
