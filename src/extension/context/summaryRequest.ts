import { t } from "@vscode/l10n";
import { renderConversation } from "../../agent/context/compaction.ts";
import type { IterationInfo } from "../../agent/vocabulary/hooks.ts";
import { type AgentMessage, estimateTokens, textOf } from "../../agent/vocabulary/messages.ts";
import { errorMessageOf } from "../models/errorWords.ts";
import { summaryInstructions } from "../prompts/agentPrompts.ts";
import { withoutFacts } from "./workState.ts";

const charactersPerToken = 4;
/** Of the window: what of a conversation is shown for a summary. */
const shownShare = 0.6;
const shownWithoutWindow = 60_000;
/** Of the window: an earlier summary up to this size is included word for word, since retelling loses detail. */
const includedShare = 0.1;

/** Asks the agent's model to summarize these messages, of which the first may be an earlier summary. */
export async function requestSummary(
  messages: readonly AgentMessage[],
  info: IterationInfo,
  signal: AbortSignal = info.signal,
): Promise<string> {
  const window = info.model.contextWindow ?? shownWithoutWindow;
  const [first, ...rest] = messages;
  const earlier = first?.role === "summary" ? { ...first, text: withoutFacts(first.text) } : undefined;
  const isIncluded = earlier !== undefined && estimateTokens([earlier]) <= window * includedShare;
  const shown = earlier === undefined ? messages : isIncluded ? rest : [earlier, ...rest];
  const answer = await info.complete(
    {
      systemPrompt: summaryInstructions,
      messages: [
        {
          role: "user",
          id: "conversation",
          content: [{ type: "text", text: withoutMiddle(renderConversation(shown), window * shownShare) }],
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
  return isIncluded ? `${earlier.text}\n\n${text}` : text;
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
  start(covered: readonly AgentMessage[], info: IterationInfo): void {
    if (covered.length === 0 || (this.#prepared !== undefined && isPrefix(this.#prepared.ids, covered))) return;
    this.#prepared?.controller.abort();
    const controller = new AbortController();
    this.#isUnderWay = true;
    const text = requestSummary(covered, info, controller.signal)
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
