import { parseEntry } from "./entrySchema.ts";
import { type Head, keyOfHost } from "./records.ts";
import { digestOf } from "./transcripts.ts";

/**
 * The head of a record. Undefined for what has none: the header, what a later version added. "broken" for what is no
 * JSON. Records with another order of fields, as the first versions wrote them, are parsed.
 */
export function readHead(line: Buffer, strings: Map<string, string>): Head | undefined | "broken" {
  return readFast(line, strings) ?? readSlowly(line);
}

function readSlowly(line: Buffer): Head | undefined | "broken" {
  const entry = parseEntry(line);
  if (entry === undefined || entry === "broken") return entry;
  const { seq } = entry;
  if ("host" in entry) {
    const key = keyOfHost(entry.host);
    return { seq, at: 0, kind: entry.host.type, ...(key !== undefined && { key }) };
  }
  const { agent, timestamp, ...event } = entry.agent;
  const head = { seq, at: timestamp, kind: event.type, depth: agent.depth, of: agent.id };
  switch (event.type) {
    case "message_end":
      return { ...head, role: event.message.role, sum: digestOf(event.message) };
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
  host: Buffer.from(',"host":'),
};

const quote = 34;
const comma = 44;
const backslash = 92;

/** Where one stands in a line. A place below 0: this is no head as we write them. */
interface Cursor {
  line: Buffer;
  at: number;
  strings: Map<string, string>;
}

function readFast(line: Buffer, strings: Map<string, string>): Head | undefined {
  const cursor: Cursor = { line, at: 0, strings };
  const seq = skip(cursor, fields.seq) ? number(cursor) : Number.NaN;
  const at = skip(cursor, fields.at) ? number(cursor) : Number.NaN;
  const kind = skip(cursor, fields.kind) ? text(cursor) : undefined;
  if (Number.isNaN(seq + at) || kind === undefined) return undefined;
  const head: Head = { seq, at, kind };
  if (skip(cursor, fields.depth)) head.depth = number(cursor);
  for (const field of ["of", "role", "key", "sum"] as const) if (!readText(cursor, head, field)) return undefined;
  if (skip(cursor, fields.tokens)) head.tokens = number(cursor);
  if (skip(cursor, fields.cost)) head.cost = number(cursor);
  const isWhole = head.of === undefined ? skip(cursor, fields.host) : skip(cursor, fields.agent);
  return isWhole ? head : undefined;
}

function readText(cursor: Cursor, head: Head, field: "of" | "role" | "key" | "sum"): boolean {
  if (!skip(cursor, fields[field])) return true;
  const value = text(cursor);
  if (value !== undefined) head[field] = value;
  return value !== undefined;
}

function skip(cursor: Cursor, field: Buffer): boolean {
  const { line, at } = cursor;
  for (let index = 0; index < field.length; index++) if (line[at + index] !== field[index]) return false;
  cursor.at += field.length;
  return true;
}

function number(cursor: Cursor): number {
  const { line, at } = cursor;
  let end = at;
  while (end < line.length && line[end] !== comma) end++;
  cursor.at = end;
  return Number(line.toString("latin1", at, end));
}

/** Undefined where it is not plain ASCII: parsing the line is slower and right. */
function text(cursor: Cursor): string | undefined {
  const { line, at, strings } = cursor;
  let end = at;
  for (; end < line.length && line[end] !== quote; end++) {
    const byte = line[end] ?? 0;
    if (byte === backslash || byte > 126) return undefined;
  }
  cursor.at = end + 1;
  const value = line.toString("latin1", at, end);
  const known = strings.get(value);
  // Call ids are all different: they would only fill the table.
  if (known === undefined && strings.size < 10_000) strings.set(value, value);
  return known ?? value;
}
