import { type AgentMessage, type AssistantMessage, textOf } from "../vocabulary/messages.ts";

const argumentsLimit = 200;
const resultLimit = 500;

/** A transcript as plain text for a summarizer: thinking is left out, arguments and results are cut. */
export function renderConversation(messages: readonly AgentMessage[]): string {
  return messages.flatMap(renderMessage).join("\n\n");
}

function renderMessage(message: AgentMessage): string[] {
  switch (message.role) {
    case "user":
      return [`User: ${textOf(message)}`];
    case "assistant":
      return message.content.flatMap(renderPart);
    case "toolResult":
      return [`${message.isError ? "Error" : "Result"} of ${message.toolName}: ${clip(textOf(message), resultLimit)}`];
    case "summary":
      return [`Earlier summary: ${message.text}`];
    case "agentResponse":
      return [`Response from ${message.from.name ?? message.from.id}: ${message.text}`];
    default:
      return [];
  }
}

function renderPart(part: AssistantMessage["content"][number]): string[] {
  switch (part.type) {
    case "text":
      return [`Assistant: ${part.text}`];
    case "toolCall":
      return [`Assistant calls ${part.name}: ${clip(JSON.stringify(part.arguments) ?? "", argumentsLimit)}`];
    case "thinking":
      return [];
    default:
      part satisfies never;
      return [];
  }
}

function clip(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}
