import type {
  AgentMessage,
  AssistantMessage,
  LlmMessage,
  SummaryMessage,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "./messages.ts";

/**
 * What a model is to see of a transcript: the last summary, the messages that it kept, and everything after it. The
 * kept messages come before the summary, because the transcript itself never loses or moves a message.
 */
export function sinceCheckpoint(messages: readonly AgentMessage[]): AgentMessage[] {
  const at = messages.findLastIndex((message) => message.role === "summary");
  const summary = messages[at];
  if (summary?.role !== "summary") return [...messages];
  const keptFrom = summary.keepFrom === undefined ? -1 : messages.findIndex((m) => m.id === summary.keepFrom);
  const kept = keptFrom < 0 || keptFrom > at ? [] : messages.slice(keptFrom, at).filter((m) => m.role !== "summary");
  return [summary, ...kept, ...messages.slice(at + 1)];
}

/** Turns summaries and answers of other agents into user messages; messages of an application are dropped. */
export function defaultConvertToLlm(messages: readonly AgentMessage[]): LlmMessage[] {
  const projected: LlmMessage[] = [];
  for (const message of messages) {
    switch (message.role) {
      case "user":
      case "assistant":
      case "toolResult":
        projected.push(message);
        break;
      case "summary":
        projected.push(asUser(message, summaryText(message)));
        break;
      case "agentResponse":
        projected.push(asUser(message, `Response from ${message.from.name ?? message.from.id}: ${message.text}`));
        break;
      default:
        // Messages of an application are in the union by declaration merging only; a model never sees them.
        break;
    }
  }
  return projected;
}

function summaryText(summary: SummaryMessage): string {
  return `The conversation so far was compacted. This is its summary:\n\n${summary.text}\n\nGo on from here.`;
}

function asUser(message: { id: string; timestamp: number }, text: string): UserMessage {
  return { role: "user", id: message.id, content: [{ type: "text", text }], timestamp: message.timestamp };
}

/**
 * Makes a transcript one that every provider accepts: failed and empty answers are left out, every call is followed by
 * exactly one result (an error result where a crash left none), and results without a call are dropped. Untouched
 * messages keep their identity, so what is cached beside a message stays valid.
 */
export function repairTranscript(messages: readonly LlmMessage[]): LlmMessage[] {
  const repaired: LlmMessage[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "user") repaired.push(message);
    else if (message.role === "assistant" && isReplayable(message)) {
      repaired.push(message);
      const calls = message.content.filter((part) => part.type === "toolCall");
      if (calls.length > 0) repaired.push(...answers(message, calls, messages, index + 1));
    }
  }
  return repaired;
}

/** Partial content is unsafe to replay: thinking may lack its signature, arguments may be cut. */
function isReplayable(message: AssistantMessage): boolean {
  return message.stopReason !== "error" && message.stopReason !== "aborted" && message.content.length > 0;
}

/** Call ids are only unique within one answer with some servers, so the search ends at the next answer that has one of them. */
function answers(
  assistant: AssistantMessage,
  calls: readonly ToolCall[],
  messages: readonly LlmMessage[],
  from: number,
): ToolResultMessage[] {
  const found = new Map<string, ToolResultMessage>();
  const ids = new Set(calls.map(({ id }) => id));
  for (let index = from; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) break;
    // Another program's calls may overlap over several answers.
    if (message.role === "assistant" && hasCallOf(message, ids)) break;
    if (message.role !== "toolResult" || !ids.has(message.callId) || found.has(message.callId)) continue;
    found.set(message.callId, message);
    // What follows would else be read for each answer.
    if (found.size === ids.size) break;
  }
  return calls.map((call) => found.get(call.id) ?? unansweredResult(call, assistant));
}

function hasCallOf({ content }: AssistantMessage, ids: ReadonlySet<string>): boolean {
  return content.some((part) => part.type === "toolCall" && ids.has(part.id));
}

function unansweredResult(call: ToolCall, assistant: AssistantMessage): ToolResultMessage {
  return {
    role: "toolResult",
    id: `${assistant.id}-${call.id}-unanswered`,
    callId: call.id,
    toolName: call.name,
    content: [{ type: "text", text: "This call was interrupted before it gave a result." }],
    isError: true,
    timestamp: assistant.timestamp,
  };
}
