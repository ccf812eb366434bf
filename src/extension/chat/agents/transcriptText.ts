import { t } from "@vscode/l10n";
import type { Agent, AgentMessage, AssistantMessage, UserMessage } from "../../../agent/index.ts";
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

/** The last that was said after a message; nothing when the message was never delivered or never answered. */
export function answerAfter({ id }: UserMessage, { messages }: Pick<Agent, "messages">): string {
  const asked = messages.findIndex((message) => message.id === id);
  const last = asked < 0 ? undefined : messages.slice(asked).findLast((message) => message.role === "assistant");
  if (last?.role !== "assistant") return "";
  return last.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

const maxTitleLength = 60;

/** A chat's title: the first line of its first message, cut at a word where it is long. */
export function titleOf(text: string): string {
  const line = text.trim().split(/\r?\n/, 1)[0] ?? "";
  if (line.length === 0) return t("New chat");
  if (line.length <= maxTitleLength) return line;
  const cut = line.slice(0, maxTitleLength);
  const lastSpace = cut.lastIndexOf(" ");
  return `${lastSpace > maxTitleLength / 2 ? cut.slice(0, lastSpace) : cut}…`;
}
