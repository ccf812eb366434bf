import { type AgentMessage, estimateTokens } from "../../agent/vocabulary/messages.ts";

/** How much is kept word for word, in tokens. */
export interface TailSizes {
  /** Of all that is kept. */
  whole: number;
  /** Of the last turn alone, which the agent has not worked with yet. */
  lastTurn: number;
}

/**
 * Where the part of a transcript begins that is kept word for word: as much of its end as there is room for, always what
 * the user said since the last answer, and never a result without its call.
 */
export function keptFrom(messages: readonly AgentMessage[], sizes: TailSizes): number {
  let from = messages.length;
  let tokens = 0;
  let isLastTurn = true;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined || message.role === "summary") break;
    // No model is shown an answer that failed.
    if (isFailed(message)) continue;
    tokens += estimateTokens([message]);
    if (tokens > (isLastTurn ? sizes.lastTurn : sizes.whole)) break;
    if (message.role !== "toolResult") from = index;
    if (message.role === "assistant") isLastTurn = false;
  }
  return Math.min(from, unansweredFrom(messages));
}

/** Where the prompts at the end begin; a failed answer has answered none of them. */
function unansweredFrom(messages: readonly AgentMessage[]): number {
  const answered = messages.findLastIndex((message) => !isPrompt(message) && !isFailed(message));
  const prompt = messages.findIndex((message, index) => index > answered && isPrompt(message));
  return prompt < 0 ? messages.length : prompt;
}

function isPrompt({ role }: AgentMessage): boolean {
  return role === "user" || role === "agentResponse";
}

function isFailed(message: AgentMessage): boolean {
  return message.role === "assistant" && (message.stopReason === "error" || message.stopReason === "aborted");
}
