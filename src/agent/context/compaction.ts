import type { IterationInfo } from "../vocabulary/hooks.ts";
import { type AgentMessage, type AssistantMessage, estimateTokens, textOf } from "../vocabulary/messages.ts";
import { contextTokens } from "../vocabulary/usage.ts";

/** The summary of the messages before `keepFrom`, the id of the first message that is kept verbatim. */
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

/** The share of the window that earlier summaries may take; what is older than that is left out. */
const maxSummaryShare = 0.1;

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
      return (await summarizeConversation(messages, info, { keepRecent, prompt })) ?? "skip";
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
export async function summarizeConversation(
  messages: readonly AgentMessage[],
  info: IterationInfo,
  options: { keepRecent: number; prompt?: string },
): Promise<Compaction | undefined> {
  const cut = cutIndex(messages, options.keepRecent);
  const keepFrom = messages[cut]?.id;
  const earlier = messages.find((message) => message.role === "summary");
  const old = messages.slice(0, cut).filter((message) => message.role !== "summary");
  if (old.length === 0) return undefined;

  // The earlier summary is repeated word for word: a summary of it would lose detail with every compaction.
  const earlierText = earlier === undefined ? "" : `${latestPart(textOf(earlier), info)}\n\n`;
  const text = await requestSummary(renderConversation(old), info, options.prompt ?? instructions);
  const summary = `${earlierText}${text}`;
  return keepFrom === undefined ? { summary } : { summary, keepFrom };
}

/** As much of a summary's end as fits, by paragraphs where it has some. */
function latestPart(summary: string, { model }: IterationInfo): string {
  const maxLength = (model.contextWindow ?? Number.POSITIVE_INFINITY) * maxSummaryShare * charactersPerToken;
  if (summary.length <= maxLength) return summary;
  const end = summary.slice(-Math.floor(maxLength));
  const paragraph = end.indexOf("\n\n");
  return `[…]\n\n${paragraph < 0 ? end : end.slice(paragraph + 2)}`;
}

const charactersPerToken = 4;

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

const argumentsLimit = 200;
const resultLimit = 500;

/** A transcript as plain text for a summarizer: thinking is left out, arguments and results are cut. */
export function renderConversation(messages: readonly AgentMessage[]): string {
  return messages.flatMap(renderMessage).join("\n\n");
}

function renderMessage(message: AgentMessage): string[] {
  switch (message.role) {
    case "user":
      return [`User: ${textOf(message)}`];
    case "assistant":
      return message.content.flatMap(renderPart);
    case "toolResult":
      return [`${message.isError ? "Error" : "Result"} of ${message.toolName}: ${clip(textOf(message), resultLimit)}`];
    case "summary":
      return [`Earlier summary: ${message.text}`];
    case "agentResponse":
      return [`Response from ${message.from.name ?? message.from.id}: ${message.text}`];
    default:
      return [];
  }
}

function renderPart(part: AssistantMessage["content"][number]): string[] {
  switch (part.type) {
    case "text":
      return [`Assistant: ${part.text}`];
    case "toolCall":
      return [`Assistant calls ${part.name}: ${clip(JSON.stringify(part.arguments) ?? "", argumentsLimit)}`];
    case "thinking":
      return [];
    default:
      part satisfies never;
      return [];
  }
}

function clip(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}
