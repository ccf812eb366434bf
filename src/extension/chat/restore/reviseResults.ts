import type { Agent, AgentMessage, EventBody, ToolResultMessage } from "../../../agent/index.ts";
import type { InterruptedResult } from "./interruptedEdits.ts";

type ResultOf = (callId: string) => InterruptedResult | undefined;

/**
 * Brings the results of interrupted calls up to date before their agent goes on: since they were written down, the user
 * may have answered. Only while nothing follows them. Gives what the log has to hear of it.
 */
export async function reviseResults(agent: Agent, resultOf: ResultOf): Promise<EventBody[]> {
  const { messages } = agent;
  const first = messages.findLastIndex(({ role }) => role !== "toolResult") + 1;
  const tail = messages.slice(first).filter((message) => message.role === "toolResult");
  const revised = tail.map((message) => revisedResult(message, resultOf(message.callId)));
  const [start] = tail;
  if (start === undefined || revised.every((message, at) => message === tail[at])) return [];
  await agent.rewindTo(start.id);
  agent.addMessage(revised);
  return revised.flatMap((message, at) => (message === tail[at] ? [] : [endOf(message)]));
}

/**
 * Results that the model knows otherwise, because the conversation went on before the user had answered. `told` has
 * what it was told since, by call.
 */
export function laterResults(
  messages: readonly AgentMessage[],
  callIds: readonly string[],
  { resultOf, told }: { resultOf: ResultOf; told: ReadonlyMap<string, string> },
): { callId: string; text: string }[] {
  return callIds.flatMap((callId) => {
    const message = messages.find((each) => each.role === "toolResult" && each.callId === callId);
    const now = resultOf(callId);
    if (message?.role !== "toolResult" || now === undefined) return [];
    return (told.get(callId) ?? textOf(message)) === now.text ? [] : [{ callId, text: now.text }];
  });
}

export function laterResultsNote(results: readonly { text: string }[]): string | undefined {
  if (results.length === 0) return undefined;
  return `<interrupted_edits>\nWhat became of interrupted edits since you were told of them:\n\n${results.map(({ text }) => text).join("\n\n")}\n</interrupted_edits>`;
}

function revisedResult(message: ToolResultMessage, now: InterruptedResult | undefined): ToolResultMessage {
  if (now === undefined || textOf(message) === now.text) return message;
  return { ...message, content: [{ type: "text", text: now.text }], isError: now.isOpen };
}

function textOf({ content }: ToolResultMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function endOf({ callId, toolName, content, isError }: ToolResultMessage): EventBody {
  return { type: "tool_execution_end", callId, toolName, result: { content }, isError, durationMs: 0 };
}
