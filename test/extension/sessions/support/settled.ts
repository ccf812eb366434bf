import type { LogEntry } from "../../../../src/protocol/messages.ts";

/** The log as it is kept: what a call printed is kept with its end, and lost when it has none. */
export function settled(entries: readonly LogEntry[]): LogEntry[] {
  const ended = new Set(
    entries.flatMap((entry) =>
      "agent" in entry && entry.agent.type === "tool_execution_end" ? [entry.agent.callId] : [],
    ),
  );
  return entries.filter((entry) => {
    if (!("agent" in entry)) return true;
    const event = entry.agent;
    if (event.type === "tool_execution_update") return ended.has(event.callId);
    return event.type !== "message_start" && event.type !== "message_update";
  });
}
