import type { Effect, IterationInfo } from "../vocabulary/hooks.ts";
import { estimateTokens, type SummaryMessage } from "../vocabulary/messages.ts";
import { sinceCheckpoint } from "../vocabulary/projection.ts";
import { type Compaction, type Compactor, contextSize, defaultThreshold, summarizeConversation } from "./compaction.ts";
import { trimToolResults } from "./trimToolResults.ts";

export interface CompactOptions {
  /** Decides what is summarized and kept. By default everything is summarized but a prompt not yet answered. */
  compactor?: Compactor;
  /** Tokens; by default the model's. 0 turns the effect off. */
  contextWindow?: number;
  /** Share of the window from which the effect acts, 0.8 by default. 0 turns the effect off. */
  threshold?: number;
  /** Whether to summarize now, whatever the size: because somebody asked for it, or a provider found it too long. */
  isDue?(info: IterationInfo): boolean;
  /** First stage: tool results over `maxLength` (200) characters are cut, except in the last `preserveRecent` (6) messages. */
  trim?: { maxLength?: number; preserveRecent?: number };
  /** What to do when the summary failed: send the context as it is, or ask. A second failure is final. */
  onFailure?: "continue" | ((error: Error) => Promise<"continue" | "retry">);
}

/** Before a request, makes room in a context that is too full: first by cutting old tool results, then by a summary. */
export function compactEffect(options: CompactOptions): Effect {
  const { threshold = defaultThreshold, onFailure = "continue" } = options;
  return {
    name: "compact",
    async before(info) {
      const window = options.contextWindow ?? info.model.contextWindow ?? 0;
      const limit = Math.floor(window * threshold);
      const isDue = options.isDue?.(info) === true;
      if (limit <= 0 && !isDue) return;
      const size = contextSize(info.transcript.list(), info);
      if (size < limit && !isDue) return;
      const rest = isDue ? size : trimStage(info, size, options.trim);
      if (rest < limit && !isDue) return;
      const compact = whenDue(options.compactor);
      await summaryStage(info, rest, (watched) => withRetry(watched, compact, onFailure));
    },
  };
}

/** Asks a compactor before every request, whatever the size: how full is too full is then its own decision. */
export function compactorEffect(compactor: Compactor): Effect {
  return {
    name: "compactor",
    async before(info) {
      const size = contextSize(info.transcript.list(), info);
      await summaryStage(info, size, async (watched) => {
        const decided = await compactor(watched.transcript.list(), watched);
        return decided === "skip" ? undefined : decided;
      });
    },
  };
}

/** Returns the size afterwards: an estimate, since what the latest request measured is not true any more. */
function trimStage(info: IterationInfo, size: number, options: CompactOptions["trim"] = {}): number {
  const { maxLength = 200, preserveRecent = 6 } = options;
  const messages = info.transcript.list();
  const recentFrom = messages.length - preserveRecent;
  const trimmed = trimToolResults(messages, { maxLength, isRecent: (index) => index >= recentFrom });
  if (trimmed === undefined) return size;
  info.transcript.replace(trimmed);
  const after = estimateTokens(trimmed);
  info.emit({ type: "compaction_start" });
  info.emit({ type: "compaction_end", kind: "trim", before: size, after });
  return after;
}

type Compact = (info: IterationInfo) => Promise<Compaction | undefined>;

/** A compactor that is asked for a summary, not whether one is due. */
function whenDue(compactor: Compactor | undefined): Compact {
  if (compactor === undefined) return (info) => summarizeConversation(info.transcript.list(), info, { keepRecent: 0 });
  return async (info) => {
    const decided = await compactor(info.transcript.list(), { ...info, due: true });
    return decided === "skip" ? undefined : decided;
  };
}

/** Reports that it compacts as soon as a model is asked for a summary, which takes long enough to be shown. */
async function summaryStage(info: IterationInfo, size: number, compact: Compact): Promise<void> {
  let started = false;
  const start = () => {
    if (!started) info.emit({ type: "compaction_start" });
    started = true;
  };
  const complete: IterationInfo["complete"] = (request) => {
    start();
    return info.complete(request);
  };
  const decided = await compact({ ...info, complete });
  if (decided !== undefined) {
    start();
    applySummary(info, decided, size);
  } else if (started) info.emit({ type: "compaction_end", kind: "summary", before: size, after: size });
}

async function withRetry(
  info: IterationInfo,
  compact: Compact,
  onFailure: NonNullable<CompactOptions["onFailure"]>,
): Promise<Compaction | undefined> {
  try {
    return await compact(info);
  } catch (error) {
    info.signal.throwIfAborted();
    if (onFailure === "continue") return undefined;
    const failure = error instanceof Error ? error : new Error(String(error));
    if ((await onFailure(failure)) === "continue") return undefined;
  }
  try {
    return await compact(info);
  } catch {
    // Asked for a retry and failed again: the context goes out as it is, and the provider judges its size.
    info.signal.throwIfAborted();
    return undefined;
  }
}

/** The summary becomes a real message, so that a reloaded session sees the same context; only the view shrinks. */
function applySummary(info: IterationInfo, { summary, keepFrom }: Compaction, before: number): void {
  const message: SummaryMessage = { role: "summary", id: crypto.randomUUID(), text: summary, timestamp: Date.now() };
  info.transcript.append(keepFrom === undefined ? message : { ...message, keepFrom });
  info.transcript.replace(sinceCheckpoint(info.transcript.list()));
  const after = estimateTokens(info.transcript.list());
  info.emit({ type: "compaction_end", kind: "summary", before, after });
}
