import { t } from "@vscode/l10n";
import { renderConversation } from "../../agent/context/rendering.ts";
import type { IterationInfo } from "../../agent/vocabulary/hooks.ts";
import { type AgentMessage, estimateTokens, textOf } from "../../agent/vocabulary/messages.ts";
import { errorMessageOf } from "../models/errorWords.ts";
import { withoutFacts } from "./facts.ts";

const instructions = `You summarize the work of a coding agent in an editor, so that the agent can go on without the conversation.
Write down, with names and paths as they are:
- the goal, and what the user asked for
- rules and preferences that the user gave, word for word where they are short
- the plan, what of it is done and what is in progress
- edits that were made or proposed, and what the user decided about them
- the files that matter and what was found in them
- decisions and why they were made
- questions that are open, and the next steps
Leave out greetings, what was tried and given up without a lesson, and the text of files that can be read again.
Answer with the summary alone.`;

const charactersPerToken = 4;
/** Of the window: what of a conversation is shown for a summary. */
const shownShare = 0.6;
const shownWithoutWindow = 60_000;
/** Of the window: an earlier summary up to this size is carried along word for word, since retelling loses detail. */
const carriedShare = 0.1;

/** Asks the agent's model to summarize these messages, of which the first may be an earlier summary. */
export async function requestSummary(
  messages: readonly AgentMessage[],
  info: IterationInfo,
  signal: AbortSignal = info.signal,
): Promise<string> {
  const window = info.model.contextWindow ?? shownWithoutWindow;
  const [first, ...rest] = messages;
  const earlier = first?.role === "summary" ? { ...first, text: withoutFacts(first.text) } : undefined;
  const isCarried = earlier !== undefined && estimateTokens([earlier]) <= window * carriedShare;
  const told = earlier === undefined ? messages : isCarried ? rest : [earlier, ...rest];
  const answer = await info.complete(
    {
      systemPrompt: instructions,
      messages: [
        {
          role: "user",
          id: "conversation",
          content: [{ type: "text", text: withoutMiddle(renderConversation(told), window * shownShare) }],
          timestamp: 0,
        },
      ],
      tools: [],
    },
    { signal },
  );
  info.signal.throwIfAborted();
  if (answer.stopReason === "error" || answer.stopReason === "aborted") {
    throw new Error(errorMessageOf(answer) ?? t("The summary was cut off."));
  }
  const text = textOf(answer).trim();
  if (text === "") throw new Error(t("The summary is empty."));
  return isCarried ? `${earlier.text}\n\n${text}` : text;
}

/** A text of at most so many tokens: how it began, and most of how it went on. */
function withoutMiddle(text: string, tokens: number): string {
  const most = Math.max(1_000, Math.floor(tokens * charactersPerToken));
  if (text.length <= most) return text;
  const head = Math.floor(most / 5);
  return `${text.slice(0, head)}\n\n[… left out: it was too long to be shown whole …]\n\n${text.slice(head - most)}`;
}
