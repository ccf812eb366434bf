import type { UserMessage } from "../../../agent/types.ts";
import { typedText } from "../../model/userMessage.ts";
import type { TranscriptRow } from "./transcript.ts";

/** What copying a message puts on the clipboard: its words, without thinking and tool calls. */
export function messageText(message: TranscriptRow["message"]): string {
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

/** What an agent was told by the one that created it, without the frame around the context: that one is for models. */
export function briefText(message: UserMessage): string {
  const text = typedText(message);
  return /^<delegation_context>\s*([\s\S]*?)\s*<\/delegation_context>$/.exec(text)?.[1] ?? text;
}

/** Whether there is anything to copy. */
export function hasWords(message: TranscriptRow["message"]): boolean {
  if (message.role === "assistant") return message.content.some((part) => part.type === "text" && part.text !== "");
  return messageText(message) !== "";
}
