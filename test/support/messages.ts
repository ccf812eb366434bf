import type {
  AssistantMessage,
  SummaryMessage,
  ToolCall,
  ToolResultMessage,
} from "../../src/agent/vocabulary/messages.ts";
import { assistant } from "./events.ts";

export function toolCall(id: string, name = "tool", args: unknown = {}): ToolCall {
  return { type: "toolCall", id, name, arguments: args };
}

/** An answer that calls tools. */
export function calling(id: string, ...toolCalls: ToolCall[]): AssistantMessage {
  return { ...assistant(id, ""), content: toolCalls, stopReason: "toolUse" };
}

export function result(callId: string, text: string, more: Partial<ToolResultMessage> = {}): ToolResultMessage {
  return {
    role: "toolResult",
    id: `result-${callId}`,
    callId,
    toolName: "tool",
    content: [{ type: "text", text }],
    isError: false,
    timestamp: 0,
    ...more,
  };
}

export function summary(id: string, text: string, keepFrom?: string): SummaryMessage {
  const message: SummaryMessage = { role: "summary", id, text, timestamp: 0 };
  return keepFrom === undefined ? message : { ...message, keepFrom };
}
