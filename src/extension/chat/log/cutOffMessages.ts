import { emptyTree, foldTree } from "../../../agent/tree.ts";
import type { AgentEvent, AssistantMessage } from "../../../agent/types.ts";
import { interruptedError } from "../../../protocol/interruption.ts";
import type { LogEntry } from "../../../protocol/messages.ts";

/**
 * What agents were saying when the editor ended, as messages that were cut off: the words as far as they came. Calls
 * are left out, for nothing of theirs was run; so is a message without a word.
 */
export function cutOffMessages(entries: readonly LogEntry[]): AgentEvent[] {
  const events = entries.flatMap((entry) => ("agent" in entry ? [entry.agent] : []));
  const open = new Map<string, AgentEvent>();
  for (const event of events) {
    if (event.type === "message_update") open.set(event.messageId, event);
    if (event.type === "message_end") open.delete(event.message.id);
  }
  if (open.size === 0) return [];
  const { nodes, lastSeq } = foldTree(emptyTree(), events);
  let seq = lastSeq;
  return [...open].flatMap(([messageId, { agent, sessionId, runId, timestamp }]) => {
    const message = nodes[agent.id]?.messages.findLast(({ id }) => id === messageId);
    const kept = message?.role === "assistant" ? wordsOf(message) : undefined;
    if (kept === undefined) return [];
    return [{ type: "message_end", message: kept, agent, sessionId, runId, timestamp, seq: ++seq }];
  });
}

function wordsOf(message: AssistantMessage): AssistantMessage | undefined {
  const content = message.content.filter((part) => part.type !== "toolCall" && part.text.trim() !== "");
  return content.length === 0
    ? undefined
    : { ...message, content, stopReason: "aborted", errorMessage: interruptedError };
}
