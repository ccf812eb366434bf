import { t } from "@vscode/l10n";
import { renderConversation } from "../../agent/context/compaction.ts";
import type { IterationInfo } from "../../agent/vocabulary/hooks.ts";
import {
  type AgentMessage,
  type AssistantMessage,
  estimateTokens,
  textOf,
  type UserMessage,
  userMessage,
} from "../../agent/vocabulary/messages.ts";
import type { ModelRequest } from "../../agent/vocabulary/model.ts";
import { contextTokens } from "../../agent/vocabulary/usage.ts";
import { errorMessageOf } from "../models/errorWords.ts";
import { summaryInstructions, summaryRequest } from "../prompts/agentPrompts.ts";
import { withoutFacts } from "./workState.ts";

const charactersPerToken = 4;
/** Of the window: what of a conversation is shown for a summary beside it. */
const shownShare = 0.6;
const shownWithoutWindow = 60_000;
/** Of the window: an earlier summary up to this size is included word for word, since retelling loses detail. */
const includedShare = 0.1;
/** What a summary may come to, in tokens and as a share of the window. */
const maxSummaryTokens = 8_000;
const maxSummaryShare = 0.1;

/** What is to be summarized, and what the model was shown of it. */
export interface SummarySource {
  /** What the summary replaces, of which the first may be an earlier summary. */
  covered: readonly AgentMessage[];
  /** The conversation as the model was shown it, up to the prompts that nothing has answered yet. */
  answered: readonly AgentMessage[];
  /** It is known to be too long. */
  isTooLong?: boolean;
}

/** Asks the agent's model for a summary, in the conversation itself where that fits the window. */
export async function requestSummary(
  source: SummarySource,
  info: IterationInfo,
  signal: AbortSignal = info.signal,
): Promise<string> {
  const window = info.model.contextWindow ?? shownWithoutWindow;
  const [first, ...rest] = source.covered;
  const earlier = first?.role === "summary" ? { ...first, text: withoutFacts(first.text) } : undefined;
  const isIncluded = earlier !== undefined && estimateTokens([earlier]) <= window * includedShare;
  const shown = earlier === undefined ? source.covered : isIncluded ? rest : [earlier, ...rest];
  const text =
    (await summaryInConversation(source, isIncluded, info, signal)) ??
    (await summaryBeside(shown, window * shownShare, info, signal));
  return isIncluded ? `${earlier.text}\n\n${text}` : text;
}

/**
 * The conversation as it was sent, with one more message: so the provider has all but that in its cache. Tools stay
 * offered, since others would be another prefix. Undefined where it does not fit, and where no summary comes of it.
 */
async function summaryInConversation(
  { covered, answered, isTooLong = false }: SummarySource,
  hasEarlier: boolean,
  info: IterationInfo,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (isTooLong || answered.length === 0 || info.conversation === undefined) return undefined;
  const kept = answered[covered.length];
  const words = summaryRequest({ hasEarlier, keptFrom: kept && beginningOf(kept) });
  const { messages, ...head } = await info.conversation(answered);
  if (!hasRoom({ messages, ...head }, answered, words, info)) return undefined;
  const answer = await info.complete({ ...head, messages: [...messages, userMessage(words)] }, { signal });
  info.signal.throwIfAborted();
  const hasCalls = answer.errorMessage === undefined && answer.content.some(({ type }) => type === "toolCall");
  return hasCalls || answer.errorKind === "context" ? undefined : summaryIn(answer);
}

const maxBeginning = 200;

function beginningOf(message: AgentMessage): string {
  const text = textOf(message).trim();
  const calls = message.role === "assistant" ? message.content.filter((part) => part.type === "toolCall") : [];
  const shown = text === "" ? calls.map(({ name }) => `(a call of ${name})`).join(", ") : text;
  return JSON.stringify(shown.length > maxBeginning ? `${shown.slice(0, maxBeginning)}…` : shown);
}

function hasRoom(
  { systemPrompt, tools }: ModelRequest,
  messages: readonly AgentMessage[],
  words: string,
  { model, lastUsage }: IterationInfo,
): boolean {
  const { contextWindow: window } = model;
  // Without a known size, what was sent fits.
  if (window === undefined || window <= 0) return true;
  const measured = messages.findLastIndex((message) => message.role === "assistant" && message.usage !== undefined);
  const estimated = tokensOf(systemPrompt) + tokensOf(JSON.stringify(tools)) + estimateTokens(messages);
  const known =
    lastUsage === undefined || measured < 0
      ? 0
      : contextTokens(lastUsage) + lastUsage.output + estimateTokens(messages.slice(measured + 1));
  const room = Math.min(maxSummaryTokens, window * maxSummaryShare);
  return Math.max(estimated, known) + tokensOf(words) + room <= window;
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

/** Shows the conversation as a text, shortened to so many tokens. */
async function summaryBeside(
  shown: readonly AgentMessage[],
  maxTokens: number,
  info: IterationInfo,
  signal: AbortSignal,
): Promise<string> {
  const conversation = withoutMiddle(renderConversation(shown), maxTokens);
  const messages: UserMessage[] = [
    { role: "user", id: "conversation", content: [{ type: "text", text: conversation }], timestamp: 0 },
  ];
  const answer = await info.complete({ systemPrompt: summaryInstructions, messages, tools: [] }, { signal });
  info.signal.throwIfAborted();
  return summaryIn(answer);
}

function summaryIn(answer: AssistantMessage): string {
  if (answer.stopReason === "error" || answer.stopReason === "aborted") {
    throw new Error(errorMessageOf(answer) ?? t("The summary was cut off."));
  }
  const text = textOf(answer).trim();
  if (text === "") throw new Error(t("The summary is empty."));
  return text;
}

/** A text of at most so many tokens: how it began, and most of how it went on. */
function withoutMiddle(text: string, tokens: number): string {
  const maxCharacters = Math.max(1_000, Math.floor(tokens * charactersPerToken));
  if (text.length <= maxCharacters) return text;
  const head = Math.floor(maxCharacters / 5);
  return `${text.slice(0, head)}\n\n[… left out: it was too long to be shown whole …]\n\n${text.slice(head - maxCharacters)}`;
}

/** A summary that was asked for ahead of need. */
interface Prepared {
  /** What it replaces, in order; an earlier summary is the first. */
  ids: readonly string[];
  text: Promise<string | undefined>;
  controller: AbortController;
}

/** Writes a summary while the run goes on, so that nothing waits for it when it is due. */
export class Preparation {
  #prepared: Prepared | undefined;
  #isUnderWay = false;

  /** Starts one for these messages, unless there is one that they continue. */
  start(source: SummarySource, info: IterationInfo): void {
    const { covered } = source;
    if (covered.length === 0 || (this.#prepared !== undefined && isPrefix(this.#prepared.ids, covered))) return;
    this.#prepared?.controller.abort();
    const controller = new AbortController();
    this.#isUnderWay = true;
    const text = requestSummary(source, info, controller.signal)
      // It was asked for ahead of need: when the need comes, it is asked for again.
      .catch(() => undefined)
      .finally(() => {
        if (this.#prepared?.controller === controller) this.#isUnderWay = false;
      });
    this.#prepared = { ids: covered.map(({ id }) => id), text, controller };
  }

  /** The summary and how many of the messages it replaces; undefined when there is none that fits them. */
  async take(messages: readonly AgentMessage[]): Promise<{ text: string; covered: number } | undefined> {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    if (prepared === undefined || !isPrefix(prepared.ids, messages)) {
      prepared?.controller.abort();
      return undefined;
    }
    const text = await prepared.text;
    return text === undefined ? undefined : { text, covered: prepared.ids.length };
  }

  /** A run has ended: what is not written yet is given up, since no request outlives its run. */
  async leave(): Promise<void> {
    if (!this.#isUnderWay) return;
    const prepared = this.#prepared;
    this.#prepared = undefined;
    this.#isUnderWay = false;
    prepared?.controller.abort();
    await prepared?.text;
  }
}

/** Whether these messages begin with those of the ids: a rewind or another summary makes them others. */
function isPrefix(ids: readonly string[], messages: readonly AgentMessage[]): boolean {
  return ids.length <= messages.length && ids.every((id, index) => messages[index]?.id === id);
}
