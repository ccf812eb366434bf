import type { AgentEvent, AgentMeta, AssistantMessage, EventBody, UserMessage } from "../../src/agent/types.ts";

export const rootMeta: AgentMeta = { id: "root", name: "main", prefix: "🤖", depth: 0 };
export const childMeta: AgentMeta = {
  id: "child",
  name: "explore",
  prefix: "🤖",
  depth: 1,
  parentId: "root",
  toolCallId: "call",
};

/** Numbers events as the root of a session would. */
export function eventSource(): (agent: AgentMeta, body: EventBody) => AgentEvent {
  let seq = 0;
  return (agent, body) => ({ agent, sessionId: "s", runId: "r", seq: seq++, timestamp: 0, ...body });
}

export function assistant(id: string, text: string): AssistantMessage {
  return {
    role: "assistant",
    id,
    content: text === "" ? [] : [{ type: "text", text }],
    model: "m",
    provider: "p",
    stopReason: "stop",
    timestamp: 0,
  };
}

export function user(id: string, text: string): UserMessage {
  return { role: "user", id, content: [{ type: "text", text }], timestamp: 0 };
}

export function textDelta(messageId: string, delta: string): EventBody {
  return { type: "message_update", messageId, delta: { type: "text_delta", index: 0, delta } };
}
