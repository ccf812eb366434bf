import type { Agent, UserMessage } from "../../../agent/index.ts";

/** The last that was said after a message; nothing when the message was never heard or never answered. */
export function answerTo({ id }: UserMessage, { messages }: Pick<Agent, "messages">): string {
  const asked = messages.findIndex((message) => message.id === id);
  const last = asked < 0 ? undefined : messages.slice(asked).findLast((message) => message.role === "assistant");
  if (last?.role !== "assistant") return "";
  return last.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}
