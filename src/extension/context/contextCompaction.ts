import { compactEffect } from "../../agent/context/compactEffect.ts";
import type { Compaction } from "../../agent/context/compaction.ts";
import { contextTokens, estimateTokens, type Middleware, type Usage } from "../../agent/index.ts";
import type { Effect, IterationInfo } from "../../agent/vocabulary/hooks.ts";
import type { AgentMessage } from "../../agent/vocabulary/messages.ts";
import type { Model } from "../../agent/vocabulary/model.ts";
import { Preparation, requestSummary, type SummarySource } from "./summaryRequest.ts";
import { factsBlock, type KnownFacts } from "./workState.ts";

export interface ContextCompactionDependencies {
  /** Share of the window from which a context is compacted; 0 leaves it to the user. */
  threshold(model: Model): number;
  /** Whether the user has asked for it since the last call. */
  takeRequest(agentId: string): boolean;
  facts(agentId: string): KnownFacts;
  /** A summary could not be written; the context goes out as it is. */
  onFailure(agentId: string, error: Error): void;
}

/** One agent's. The effect is the same in all its runs, since it remembers what it has compacted. */
export interface ContextCompaction {
  effect: Effect;
  middleware: Middleware;
}

/** How much earlier than it is due a summary is prepared, as a share of the window. */
const headStart = 0.1;
/** As shares of the window: what is kept word for word, and what must be new to be worth a second summary. */
const keptShare = 0.1;
const lastTurnShare = 0.3;
const newShare = 0.05;
const windowIfUnknown = 32_000;

/** Keeps an agent's context within its model's window: by a summary that was begun ahead of need where there was time. */
export function contextCompaction(dependencies: ContextCompactionDependencies): ContextCompaction {
  const preparation = new Preparation();
  /** The last answer before a summary: what was measured then is not true any more. */
  let outdatedAnswer: string | undefined;

  /** `sent` says what the model was shown before any result was cut, and whether that was too long. */
  async function summarize(
    messages: readonly AgentMessage[],
    info: IterationInfo,
    sent: Omit<SummarySource, "covered">,
  ): Promise<Compaction | "skip"> {
    const cut = cutFor(messages, info);
    if (cut === undefined) return "skip";
    const prepared = await preparation.take(messages);
    const fits = prepared !== undefined && isRoomFor(messages.slice(prepared.covered), info);
    const from = fits ? prepared.covered : cut;
    const covered = messages.slice(0, from);
    const text = fits ? prepared.text : await requestSummary({ ...sent, covered }, info);
    const facts = factsBlock(dependencies.facts(info.agent.id), covered);
    const keepFrom = messages[from]?.id;
    const summary = facts === undefined ? text : `${text}\n\n${facts}`;
    return keepFrom === undefined ? { summary } : { summary, keepFrom };
  }

  function prepare(info: IterationInfo): void {
    // A run that has just begun may be over with this request; then what was prepared is not needed.
    if (info.iteration === 0) return;
    const messages = info.transcript.list();
    const cut = cutFor(messages, info);
    if (cut !== undefined)
      preparation.start({ covered: messages.slice(0, cut), answered: answeredPart(messages) }, info);
  }

  return {
    effect: {
      name: "compaction",
      async before(raw) {
        const info = withCurrentUsage(raw, outdatedAnswer);
        const { contextWindow: window = 0 } = info.model;
        const threshold = dependencies.threshold(info.model);
        const before = info.transcript.list();
        const sent = { answered: answeredPart(before), isTooLong: wasTooLong(before) };
        const isDue = dependencies.takeRequest(info.agent.id) || (threshold > 0 && sent.isTooLong);
        await compactEffect({
          threshold,
          isDue: () => isDue,
          compactor: (messages, iteration) => summarize(messages, iteration, sent),
          onFailure: async (error) => {
            dependencies.onFailure(info.agent.id, error);
            return "continue";
          },
        }).before?.(info);
        if (info.transcript.list()[0]?.id !== before[0]?.id) outdatedAnswer = lastAnswer(before)?.id;
        else if (size(info) >= Math.floor(window * (threshold - headStart)) && window * threshold > 0) prepare(info);
      },
    },
    middleware: (next) => async (signal) => {
      try {
        return await next(signal);
      } finally {
        await preparation.leave();
      }
    },
  };
}

function tailSizes({ model }: IterationInfo): { whole: number; lastTurn: number } {
  const window = model.contextWindow ?? windowIfUnknown;
  return { whole: window * keptShare, lastTurn: window * lastTurnShare };
}

/** What is short enough to be kept whole may still be what fills the window: then only open prompts are kept. */
function cutFor(messages: readonly AgentMessage[], info: IterationInfo): number | undefined {
  const cuts = [keptFrom(messages, tailSizes(info)), keptFrom(messages, { whole: 0, lastTurn: 0 })];
  return cuts.find((cut) => hasNews(messages.slice(0, cut), info));
}

/** After a summary something must have come: what is short is not worth being summarized again. */
function hasNews(covered: readonly AgentMessage[], { model }: IterationInfo): boolean {
  const news = covered.filter((message) => message.role !== "summary");
  if (news.length === 0) return false;
  const isFirst = news.length === covered.length;
  return isFirst || estimateTokens(news) >= (model.contextWindow ?? windowIfUnknown) * newShare;
}

function isRoomFor(kept: readonly AgentMessage[], info: IterationInfo): boolean {
  return estimateTokens(kept) <= tailSizes(info).lastTurn;
}

function wasTooLong(messages: readonly AgentMessage[]): boolean {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.errorKind === "context";
}

function size(info: IterationInfo): number {
  const measured = info.lastUsage === undefined ? 0 : contextTokens(info.lastUsage);
  return Math.max(measured, info.estimatedTokens);
}

/** The last that was whole, with what was measured for it. */
function lastAnswer(messages: readonly AgentMessage[]): { id: string; usage: Usage } | undefined {
  for (const message of messages.toReversed()) {
    if (message.role !== "assistant" || message.usage === undefined) continue;
    if (message.stopReason !== "error" && message.stopReason !== "aborted")
      return { id: message.id, usage: message.usage };
  }
  return undefined;
}

/** What was measured counts for the answer it was measured with: not after a rewind, and not after a summary. */
function withCurrentUsage(info: IterationInfo, outdatedAnswer: string | undefined): IterationInfo {
  const { lastUsage, ...rest } = info;
  const answer = lastAnswer(info.transcript.list());
  if (lastUsage === undefined || answer === undefined || answer.id === outdatedAnswer) return rest;
  return { ...rest, lastUsage: answer.usage };
}

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

function answeredPart(messages: readonly AgentMessage[]): AgentMessage[] {
  return messages.slice(0, unansweredFrom(messages));
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
