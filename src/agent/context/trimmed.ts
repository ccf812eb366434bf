import type { AgentMessage, ToolResultMessage } from "../vocabulary/messages.ts";

/** Ends every text that was cut, so that it is not cut a second time. */
const marker = "\n[trimmed]";

/**
 * Cuts the long text parts of old tool results. Errors stay whole: they are short, and what went wrong is what the
 * model must not forget. Returns undefined when there is nothing to cut.
 */
export function trimToolResults(
  messages: readonly AgentMessage[],
  options: { maxLength: number; isRecent(index: number): boolean },
): AgentMessage[] | undefined {
  let changed = false;
  const trimmed = messages.map((message, index) => {
    if (message.role !== "toolResult" || message.isError || options.isRecent(index)) return message;
    const cut = trimResult(message, options.maxLength);
    changed ||= cut !== message;
    return cut;
  });
  return changed ? trimmed : undefined;
}

function trimResult(message: ToolResultMessage, maxLength: number): ToolResultMessage {
  let changed = false;
  const content = message.content.map((part) => {
    if (part.type !== "text" || part.text.length <= maxLength || part.text.endsWith(marker)) return part;
    changed = true;
    return { ...part, text: part.text.slice(0, maxLength) + marker };
  });
  return changed ? { ...message, content } : message;
}
