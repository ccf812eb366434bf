import type { Effect } from "../vocabulary/hooks.ts";
import type { AgentMessage } from "../vocabulary/messages.ts";
import { trimToolResults } from "./trimmed.ts";

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
