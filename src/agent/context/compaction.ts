import type { IterationInfo } from "../vocabulary/hooks.ts";
import { type AgentMessage, estimateTokens, textOf } from "../vocabulary/messages.ts";
import { contextTokens } from "../vocabulary/usage.ts";
import { renderConversation } from "./rendering.ts";

/** What stands for the messages before `keepFrom`, the id of the first message that is kept verbatim. */
export interface Compaction {
  summary: string;
  keepFrom?: string;
}

/** Asked with what the model is about to see: the last summary, if there is one, and the messages since. */
export type Compactor = (
  messages: readonly AgentMessage[],
  info: IterationInfo & { /** Its caller has found the context too full already. */ due?: boolean },
) => Promise<"skip" | Compaction>;

/** The share of the window from which a context counts as too full. */
export const defaultThreshold = 0.8;

/** Above this share of the window, an earlier summary is condensed again instead of being carried along. */
const carriedShare = 0.1;

const instructions = `You summarize a conversation between a user and an AI agent, so that the agent can go on without it.
Write down:
- the goal, and the latest requests in full
- what is done
- what is in progress
- decisions, constraints, file names and facts that still matter
- the next steps
Answer with the summary alone.`;

/**
 * Summarizes everything but the last messages once the context fills four fifths of the model's window. Skips when
 * there is nothing to summarize, and when the summary fails or comes back empty.
 */
export function defaultCompactor(options: { keepRecent?: number; prompt?: string } = {}): Compactor {
  const { keepRecent = 10, prompt = instructions } = options;
  return async (messages, info) => {
    const window = info.model.contextWindow ?? 0;
    const full = window > 0 && contextSize(messages, info) >= Math.floor(window * defaultThreshold);
    if (!full && info.due !== true) return "skip";
    try {
      return (await summarize(messages, info, { keepRecent, prompt })) ?? "skip";
    } catch (error) {
      info.signal.throwIfAborted();
      // Who found the context too full also decides what a failure means.
      if (info.due === true) throw error;
      // A context that could not be summarized is sent as it is; the provider judges whether it is too large.
      return "skip";
    }
  };
}

/** Tokens of the context: what the latest request measured, or the estimate where that is more. */
export function contextSize(messages: readonly AgentMessage[], info: IterationInfo): number {
  const measured = info.lastUsage === undefined ? 0 : contextTokens(info.lastUsage);
  return Math.max(measured, info.estimatedTokens, estimateTokens(messages));
}

/** Asks the model for a summary of all but the last messages. Undefined when nothing is left to summarize. */
export async function summarize(
  messages: readonly AgentMessage[],
  info: IterationInfo,
  options: { keepRecent: number; prompt?: string },
): Promise<Compaction | undefined> {
  const cut = cutIndex(messages, options.keepRecent);
  const keepFrom = messages[cut]?.id;
  const earlier = messages.find((message) => message.role === "summary");
  const old = messages.slice(0, cut).filter((message) => message.role !== "summary");
  if (old.length === 0) return undefined;

  // The earlier summary is carried along word for word, since retelling loses detail, until it takes too much room.
  const carried = earlier !== undefined && fitsBeside(earlier, info) ? `${textOf(earlier)}\n\n` : "";
  const condensed = earlier !== undefined && carried === "" ? [earlier, ...old] : old;
  const text = await requestSummary(renderConversation(condensed), info, options.prompt ?? instructions);
  const summary = `${carried}${text}`;
  return keepFrom === undefined ? { summary } : { summary, keepFrom };
}

function fitsBeside(summary: AgentMessage, info: IterationInfo): boolean {
  return estimateTokens([summary]) <= (info.model.contextWindow ?? Number.POSITIVE_INFINITY) * carriedShare;
}

/** Where the kept tail begins: never between a call and its result. */
function cutIndex(messages: readonly AgentMessage[], keepRecent: number): number {
  let cut = keepRecent === 0 ? unansweredFrom(messages) : Math.max(0, messages.length - keepRecent);
  while (cut > 0 && messages[cut]?.role === "toolResult") cut--;
  return cut;
}

/** Prompts that wait for an answer outlive any summary; where nothing was ever answered, the last of them does. */
function unansweredFrom(messages: readonly AgentMessage[]): number {
  const answered = messages.findLastIndex((message) => !isPrompt(message) && message.role !== "summary");
  return answered >= 0 ? answered + 1 : Math.max(0, messages.length - 1);
}

function isPrompt(message: AgentMessage | undefined): boolean {
  return message?.role === "user" || message?.role === "agentResponse";
}

async function requestSummary(conversation: string, info: IterationInfo, systemPrompt: string): Promise<string> {
  const answer = await info.complete({
    systemPrompt,
    messages: [{ role: "user", id: "conversation", content: [{ type: "text", text: conversation }], timestamp: 0 }],
    tools: [],
  });
  info.signal.throwIfAborted();
  const text = textOf(answer).trim();
  if (answer.stopReason === "error" || answer.stopReason === "aborted") {
    throw new Error(answer.errorMessage ?? "The summary was cut off.");
  }
  if (text === "") throw new Error("The summary is empty.");
  return text;
}
