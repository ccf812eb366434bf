import { textOf } from "../../agent/vocabulary/messages.ts";
import type { ModelRequest } from "../../agent/vocabulary/model.ts";

const mostRequests = 20;
const longestLine = 200;

/** Whether a request wants a conversation summarized: it offers nothing to do. */
export function wantsSummary({ systemPrompt, tools }: ModelRequest): boolean {
  return tools.length === 0 && systemPrompt.startsWith("You summarize");
}

/** What the user asked, without what came of it: rules can't tell what mattered. */
export function summarize({ messages }: ModelRequest): string {
  const told = messages.map(textOf).join("\n");
  const asked = [...told.matchAll(/^User: (.+)$/gm)].map(([, words = ""]) => words.trim().slice(0, longestLine));
  const shown = asked.slice(-mostRequests).map((words) => `- ${words}`);
  return ["The demo model keeps what was asked so far:", ...(shown.length === 0 ? ["- nothing"] : shown)].join("\n");
}
