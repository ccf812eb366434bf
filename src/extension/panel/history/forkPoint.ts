import type { UserMessage } from "../../../agent/index.ts";
import type { LogEntry } from "../../../protocol/messages.ts";

/** Where a copy ends that holds all before a message of the user's. */
export interface ForkPoint {
  /** The first entry that is left out. */
  seq: number;
  message: UserMessage;
  /** Nothing was said before it: there is nothing to copy. */
  isFirst: boolean;
}

/**
 * Undefined when the log has no such message. A message that started a run takes the start with it, so that the copy
 * does not end in a run; one that was heard in the middle of a run leaves its first half.
 */
export function forkPoint(entries: readonly LogEntry[], messageId: string): ForkPoint | undefined {
  let runStart: number | undefined;
  let isFirst = true;
  for (const [index, entry] of entries.entries()) {
    if (!("agent" in entry) || entry.agent.agent.depth > 0) continue;
    const event = entry.agent;
    if (event.type === "agent_start") runStart = entry.seq;
    if (event.type !== "message_end" && event.type !== "transcript") continue;
    if (event.type === "message_end" && event.message.id === messageId && event.message.role === "user") {
      return { seq: runStart ?? startOf(entries, messageId, index), message: event.message, isFirst };
    }
    isFirst = false;
    runStart = undefined;
  }
  return undefined;
}

/** The number of the message's first entry; its end may be the only one. */
function startOf(entries: readonly LogEntry[], messageId: string, end: number): number {
  const start = entries.find(
    (entry) => "agent" in entry && entry.agent.type === "message_start" && entry.agent.message.id === messageId,
  );
  return (start ?? entries[end])?.seq ?? 0;
}
