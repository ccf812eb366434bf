import type { Effect } from "../vocabulary/hooks.ts";
import type { AgentMessage, ToolResultMessage } from "../vocabulary/messages.ts";

/**
 * After each answer but the first, cuts the tool results that the model has already worked with. The last
 * `preserveRecent` (4) of them stay whole, of the others `maxLength` (500) characters per part.
 */
export function trimToolResultsEffect(options: { maxLength?: number; preserveRecent?: number } = {}): Effect {
  const { maxLength = 500, preserveRecent = 4 } = options;
  return {
    name: "trimToolResults",
    after(info) {
      if (info.iteration === 0) return;
      const messages = info.transcript.list();
      const recentFrom = firstOfLastResults(messages, preserveRecent);
      const trimmed = trimToolResults(messages, { maxLength, isRecent: (index) => index >= recentFrom });
      if (trimmed !== undefined) info.transcript.replace(trimmed);
    },
  };
}

function firstOfLastResults(messages: readonly AgentMessage[], count: number): number {
  const results = messages.flatMap((message, index) => (message.role === "toolResult" ? [index] : []));
  return count <= 0 ? messages.length : (results.at(-count) ?? 0);
}

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
