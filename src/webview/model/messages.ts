import type { AgentMessage, ToolResultMessage, UserMessage } from "../../agent/types.ts";
import { attachmentsOf } from "../../protocol/attachments.ts";

/** A message that has an article of its own. */
export type ShownMessage = Exclude<AgentMessage, ToolResultMessage>;

/** What the user typed: the parts after the first hold what attachments brought, and notes for the model. */
export function typedText(message: UserMessage): string {
  const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const isMore = attachmentsOf(message).length > 0 || message.meta?.noted === true;
  return isMore ? (texts[0] ?? "") : texts.join("\n\n");
}

/** What copying a message puts on the clipboard: its text, without thinking and tool calls. */
export function messageText(message: ShownMessage): string {
  switch (message.role) {
    case "user":
      return typedText(message);
    case "assistant":
      return message.content
        .flatMap((part) => (part.type === "text" ? [part.text] : []))
        .join("\n\n")
        .trim();
    case "summary":
    case "agentResponse":
      return message.text;
    default:
      message satisfies never;
      return "";
  }
}

/** The task that an agent got from the one that created it, without the frame around the context, which is for models. */
export function briefText(message: UserMessage): string {
  const text = typedText(message);
  return /^<delegation_context>\s*([\s\S]*?)\s*<\/delegation_context>$/.exec(text)?.[1] ?? text;
}

/** Whether there is anything to copy. */
export function hasText(message: ShownMessage): boolean {
  if (message.role === "assistant") return message.content.some((part) => part.type === "text" && part.text !== "");
  return messageText(message) !== "";
}

/** The text of what a tool answered; what is not text is named. */
export function textOfContent(content: string | readonly { type: string; text?: string }[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? (part.text ?? "") : `[${part.type}]`)).join("\n");
}
