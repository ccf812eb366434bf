import type { AssistantMessage, ThinkingPart, ToolCall } from "./messages.ts";
import type { MessageDelta } from "./model.ts";

type Part = AssistantMessage["content"][number];

/** An index further on is a fault: to fill up to it would take all memory. */
const maxSkippedParts = 1_000;

/**
 * An assistant message after one more delta. Copies the message and the part that grows, nothing else; text grows by
 * concatenation, which costs the same however long it already is. The arguments of a call are the raw JSON text until
 * `toolcall_end` brings the parsed ones: parsing partial JSON on every delta would be quadratic.
 */
export function applyDelta(message: AssistantMessage, delta: MessageDelta): AssistantMessage {
  const { index } = delta;
  if (!(index >= 0 && index <= message.content.length + maxSkippedParts && Number.isInteger(index))) return message;
  const content = message.content.slice();
  // A provider may skip an index (for parts that it does not show), and a hole would not survive JSON.
  while (content.length < index) content.push({ type: "text", text: "" });
  content[index] = applyToPart(content[index], delta);
  return { ...message, content };
}

function applyToPart(part: Part | undefined, delta: MessageDelta): Part {
  switch (delta.type) {
    case "text_start":
      return { type: "text", text: "" };
    case "thinking_start":
      return { type: "thinking", text: "" };
    case "text_delta":
      return { type: "text", text: part?.type === "text" ? part.text + delta.delta : delta.delta };
    case "thinking_delta":
      return { ...thinkingPart(part), text: thinkingPart(part).text + delta.delta };
    case "text_end":
      return { type: "text", text: delta.content };
    case "thinking_end":
      return { ...thinkingPart(part), text: delta.content };
    case "toolcall_start":
      return { type: "toolCall", id: delta.callId, name: delta.toolName, arguments: "" };
    case "toolcall_delta":
      return { ...toolCall(part), arguments: rawArguments(part) + delta.delta };
    case "toolcall_end":
      return delta.call;
    default:
      // A delta of a kind that this version does not know must not break the fold of an old log.
      delta satisfies never;
      return part ?? { type: "text", text: "" };
  }
}

function thinkingPart(part: Part | undefined): ThinkingPart {
  return part?.type === "thinking" ? part : { type: "thinking", text: "" };
}

function toolCall(part: Part | undefined): ToolCall {
  return part?.type === "toolCall" ? part : { type: "toolCall", id: "", name: "", arguments: "" };
}

function rawArguments(part: Part | undefined): string {
  return part?.type === "toolCall" && typeof part.arguments === "string" ? part.arguments : "";
}
