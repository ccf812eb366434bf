import { t } from "@vscode/l10n";
import type { AgentMessage, AssistantMessage } from "../../../agent/index.ts";
import { errorMessageOf } from "../../models/errorWords.ts";

/** An agent's messages as Markdown: who said what, and which tools were called with what result. */
export function transcriptText(messages: readonly AgentMessage[]): string {
  return messages
    .map(messageText)
    .filter((text) => text !== "")
    .join("\n\n");
}

function messageText(message: AgentMessage): string {
  switch (message.role) {
    case "user":
      return section(
        t("User"),
        partsText(message.meta?.noted === true ? message.content.slice(0, -1) : message.content),
      );
    case "assistant":
      return section(t("Agent"), answerText(message));
    case "toolResult":
      return `**${resultHead(message)}**\n\n${fenced(partsText(message.content))}`;
    case "agentResponse":
      return section(message.from.name ?? message.from.id, message.text);
    case "summary":
      return section(t("Summary of earlier messages"), message.text);
    default:
      message satisfies never;
      return "";
  }
}

function resultHead({ toolName, isError }: Extract<AgentMessage, { role: "toolResult" }>): string {
  return isError ? t("Result of {0} (error)", toolName) : t("Result of {0}", toolName);
}

function section(author: string, text: string): string {
  return text.trim() === "" ? "" : `## ${author}\n\n${text.trim()}`;
}

/** What is not text is named. */
function partsText(parts: readonly { type: string; text?: string }[]): string {
  return parts.map((part) => part.text ?? `[${part.type}]`).join("\n\n");
}

function answerText(message: AssistantMessage): string {
  const { content } = message;
  const errorMessage = errorMessageOf(message);
  const parts = content.map((part) => {
    if (part.type === "text") return part.text;
    if (part.type === "thinking") return "";
    return `**${t("Call of {0}", part.name)}**\n\n${fenced(JSON.stringify(part.arguments, null, 2) ?? "")}`;
  });
  if (errorMessage !== undefined) parts.push(`**${t("Failed:")}** ${errorMessage}`);
  return parts.filter((part) => part.trim() !== "").join("\n\n");
}

/** A fence longer than any in the text, so that the text can't end it. */
function fenced(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = "`".repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}\n${text}\n${fence}`;
}
