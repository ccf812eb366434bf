import type { AgentMessage, AssistantMessage, ImagePart, TextPart } from "./messages.ts";

const charactersPerToken = 4;

/**
 * A rough size in tokens: four characters each, floored per part. Counts text, thinking, tool results and the name and
 * arguments of calls; images count nothing, and neither do messages of an application, which no model sees.
 */
export function estimateTokens(messages: readonly AgentMessage[]): number {
  let tokens = 0;
  for (const message of messages) tokens += messageTokens(message);
  return tokens;
}

function messageTokens(message: AgentMessage): number {
  switch (message.role) {
    case "user":
    case "assistant":
    case "toolResult":
      return contentTokens(message.content);
    case "summary":
    case "agentResponse":
      return textTokens(message.text.length);
    default:
      return 0;
  }
}

function contentTokens(content: readonly (AssistantMessage["content"][number] | TextPart | ImagePart)[]): number {
  let tokens = 0;
  for (const part of content) {
    if (part.type === "text" || part.type === "thinking") tokens += textTokens(part.text.length);
    else if (part.type === "toolCall") tokens += textTokens(part.name.length + jsonLength(part.arguments));
  }
  return tokens;
}

function textTokens(characters: number): number {
  return Math.floor(characters / charactersPerToken);
}

function jsonLength(value: unknown): number {
  return typeof value === "string" ? value.length : (JSON.stringify(value) ?? "").length;
}
