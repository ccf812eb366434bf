import * as z from "zod";
import type { AgentMessage } from "../vocabulary/messages.ts";
import type { SessionRow } from "./store.ts";

const messageRecord = z.object({
  type: z.literal("message"),
  id: z.number().int().positive(),
  agentId: z.string(),
  message: z.looseObject({ role: z.string(), id: z.string() }),
});
const metaRecord = z.object({ type: z.literal("meta"), meta: z.record(z.string(), z.string()) });
const record = z.discriminatedUnion("type", [messageRecord, metaRecord]);

/** One line of a session file. A record of an unknown kind is kept as it stands: a later version may have written it. */
export type SessionRecord =
  | { type: "message"; row: SessionRow }
  | { type: "meta"; meta: Record<string, string> }
  | { type: "unknown"; line: string };

/** Undefined for a line that is not JSON: a write was cut off there. */
export function parseRecord(line: string): SessionRecord | undefined {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    // A torn line holds nothing that could be used, and what is around it is whole.
    return undefined;
  }
  const parsed = record.safeParse(json);
  if (!parsed.success) return { type: "unknown", line };
  if (parsed.data.type === "meta") return parsed.data;
  const { id, agentId, message } = parsed.data;
  // The store wrote this line from an AgentMessage; what an application added to that union only it can know.
  return { type: "message", row: { id, agentId, message: message as unknown as AgentMessage } };
}

export function formatRow(row: SessionRow): string {
  return `${JSON.stringify({ type: "message", ...row })}\n`;
}

export function formatMeta(meta: Record<string, string>): string {
  return `${JSON.stringify({ type: "meta", meta })}\n`;
}
