import type { AgentEvent, ReportedUsage } from "../../agent/types.ts";
import type { HostEvent } from "../../protocol/hostEvents.ts";

/** Names the kind of file in its first line. */
export const format = "arbor-session";
/** Raised with every change that an older version would misread. */
export const version = 1;
/** The kind of records of what has begun and not ended. */
export const growingKind = "growing";

export function formatHeader(header: { id: string; createdAt: number }): string {
  return `${JSON.stringify({ format, version, ...header })}\n`;
}

/**
 * What is at the head of a record, in this order: a file is searched by it without parsing its lines, so it repeats
 * what the events say themselves.
 */
export interface Head {
  seq: number;
  /** When it was written, in milliseconds since 1970. */
  at: number;
  /** The event's type. */
  kind: string;
  /** Of an agent's event: how deep the agent is, and its id. */
  depth?: number;
  of?: string;
  /** Of a finished message. */
  role?: string;
  /** Which call, agent, plan, approval, notice or question the event is about; of an answer, its id. */
  key?: string;
  /** Of a finished message: a digest of it. */
  sum?: string;
  /** With an agent's usage: what the session has cost so far, in tokens and USD. */
  tokens?: number;
  cost?: number;
}

/** What is behind the event. */
export interface Tail {
  /** With the end of a call: what it printed. */
  printed?: string;
  /**
   * With a transcript: its messages by their numbers, as ranges without their ends. An agent's messages are numbered
   * from 0 in the order of the file. The event itself holds those that no record before it has; here they count from
   * minus their number up to -1, and for later records as any others.
   */
  spans?: ByteSpan[];
  /** With a transcript: ids of the calls that left the conversation with it. */
  dropped?: string[];
}

export type ByteSpan = [from: number, end: number];

export function formatAgentRecord(head: Head, event: AgentEvent, tail: Tail = {}): string {
  return formatRecord(head, `"agent":${JSON.stringify(event)}`, tail);
}

export function formatHostRecord(head: Head, event: HostEvent): string {
  return formatRecord(head, `"host":${JSON.stringify(event)}`, {});
}

/** Of what has begun and not ended: not an entry of the log, and left alone by versions that don't know it. */
export function formatGrowingRecord(
  head: Head,
  body: { growing: readonly AgentEvent[]; reported?: ReportedUsage },
): string {
  return formatRecord(head, JSON.stringify(body).slice(1, -1), {});
}

function formatRecord(
  { seq, at, kind, depth, of, role, key, sum, tokens, cost }: Head,
  event: string,
  tail: Tail,
): string {
  const head = JSON.stringify({ seq, at, kind, depth, of, role, key, sum, tokens, cost });
  const end = Object.keys(tail).length === 0 ? "}" : `,${JSON.stringify(tail).slice(1)}`;
  return `${head.slice(0, -1)},${event}${end}\n`;
}
