import { inputText } from "../delegation/validators.ts";
import { AgentError } from "../vocabulary/errors.ts";
import type { AgentEvent } from "../vocabulary/events.ts";
import { type AssistantMessage, textOf } from "../vocabulary/messages.ts";

/**
 * The answer to a question out of the stream of its send, which begins when the question is delivered. What the agent
 * does after its answer is not mistaken for it. Throws when the run fails or ends without an answer.
 */
export async function answerTo(agentId: string, events: AsyncIterable<AgentEvent>): Promise<string> {
  let answer: string | undefined;
  for await (const event of events) {
    if (event.agent.id !== agentId) continue;
    switch (event.type) {
      case "message_start":
        if (answer !== undefined && isInput(event.message.role)) return answer;
        break;
      case "message_end":
        if (event.message.role === "assistant" && isReply(event.message)) answer = textOf(event.message);
        break;
      case "agent_end":
        return finalAnswer(event, answer);
      default:
        break;
    }
  }
  throw new AgentError("provider", "The agent ended before it answered.");
}

function isInput(role: string): boolean {
  return role === "user" || role === "agentResponse";
}

function isReply(message: AssistantMessage): boolean {
  return message.stopReason === "stop" && !message.content.some((part) => part.type === "toolCall");
}

type AgentEnd = Extract<AgentEvent, { type: "agent_end" }>;

/** A run that ended by a control tool or a limit has a result of its own, which is what the answer is. */
function finalAnswer(end: AgentEnd, answer: string | undefined): string {
  if (end.reason === "error" || end.reason === "aborted") return answer ?? noAnswer(end);
  if (end.result !== undefined) return inputText(end.result);
  if (answer !== undefined) return answer;
  return end.finalMessage === undefined ? noAnswer(end) : textOf(end.finalMessage);
}

function noAnswer(end: AgentEnd): never {
  const cause = end.error === undefined ? `it ended as ${end.reason}` : end.error.message;
  throw new AgentError(end.error?.code ?? "aborted", `The agent gave no answer: ${cause}`);
}
