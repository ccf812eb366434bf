import type { AgentMessage, ToolResultMessage, UserMessage } from "../agent/types.ts";
import { attachmentsOf } from "./attachments.ts";

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

/** The text of what a tool answered; what is not text is named. */
export function textOfContent(content: string | readonly { type: string; text?: string }[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? (part.text ?? "") : `[${part.type}]`)).join("\n");
}

/** Which text of an agent's it is: a part of a message, or what a call was given or answered. */
export interface TextSource {
  agentId: string;
  /** Of the message, or of the call. */
  id: string;
  /** The position in the message's content. */
  part: number | "arguments" | "result";
}

/** What a panel lacks of a text whose beginning it shows. */
export interface Omitted {
  source: TextSource;
  /** In UTF-8. */
  bytes: number;
}

/** Set by the host on what it cut: a part of a message, a message that is one text, or the result of a tool. */
export function omittedOf(cut: object): Omitted | undefined {
  // The panel trusts its host.
  return "omitted" in cut ? (cut.omitted as Omitted) : undefined;
}

/** Of the first text of a message that is not whole. */
export function omittedIn(message: AgentMessage): Omitted | undefined {
  const own = omittedOf(message);
  if (own !== undefined || !("content" in message)) return own;
  return message.content.map(omittedOf).find((omitted) => omitted !== undefined);
}
