import { t } from "@vscode/l10n";
import type { AssistantMessage, UserMessage } from "../../agent/types.ts";
import { messageText, type ShownMessage, typedText } from "../../protocol/messageTexts.ts";

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

/** Why an answer is not whole; undefined for one that is, and for one that was stopped. */
export function failureText({ stopReason, errorMessage }: AssistantMessage): string | undefined {
  if (stopReason === "aborted") return undefined;
  return errorMessage ?? (stopReason === "length" ? t("The answer reached its length limit.") : undefined);
}
