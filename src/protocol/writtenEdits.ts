import type { AgentMessage } from "../agent/types.ts";

const maxCharacters = 300;

/** Why a call was made, in its model's own words: the last paragraph before it. Undefined where it said nothing. */
export function callReason(messages: readonly AgentMessage[], callId: string): string | undefined {
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    const at = message.content.findIndex((part) => part.type === "toolCall" && part.id === callId);
    if (at < 0) continue;
    const said = message.content.slice(0, at).findLast((part) => part.type === "text" && part.text.trim() !== "");
    const text = said?.type === "text" ? said.text.trim() : "";
    return text === "" ? undefined : clip(text.split(/\n\s*\n/).at(-1) ?? text);
  }
  return undefined;
}

/** The latest message of the user's before a moment, in milliseconds since the epoch. */
export function promptBefore(messages: readonly AgentMessage[], time: number): string | undefined {
  const prompt = messages.findLast((message) => message.role === "user" && message.timestamp <= time);
  if (prompt?.role !== "user") return undefined;
  // What follows the first part is from attachments, and notes for the model.
  const first = prompt.content.find((part) => part.type === "text");
  return first === undefined || first.text.trim() === "" ? undefined : clip(first.text.trim());
}

/** When a call was made. */
export function callTime(messages: readonly AgentMessage[], callId: string): number | undefined {
  return messages.find(
    (message) =>
      message.role === "assistant" && message.content.some((part) => part.type === "toolCall" && part.id === callId),
  )?.timestamp;
}

function clip(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length <= maxCharacters ? line : `${line.slice(0, maxCharacters)}…`;
}
