import { t } from "@vscode/l10n";
import type { TreeNode, Usage } from "../../agent/types.ts";
import type { ContextBreakdown } from "../../protocol/hostEvents.ts";
import type { PanelStatus } from "../../protocol/messages.ts";
import { formatTokens } from "../text/format.ts";

/** How full an agent's context was in its last request. */
export interface ContextReading {
  tokens: number;
  /** Unknown for a model whose size is unknown. */
  window: number | undefined;
  /** 0 to 100. */
  percent: number;
  /** `41.2k of 200k tokens` */
  text: string;
}

export function readContext(
  node: TreeNode | undefined,
  context: ContextBreakdown | undefined,
  status: PanelStatus | undefined,
): ContextReading {
  const tokens = context?.isAhead === true ? aheadTokens(context) : (node?.contextTokens ?? 0);
  const window = context?.window ?? (tokens > 0 && node !== undefined ? undefined : status?.model.contextWindow);
  const percent = context?.isAhead === true ? percentOf(tokens, window) : (node?.contextPercent ?? 0);
  const text =
    window === undefined
      ? t("{0} tokens, size of the window unknown", formatTokens(tokens))
      : t("{0} of {1} tokens", formatTokens(tokens), formatTokens(window));
  return { tokens, window, percent, text };
}

/** What the next request will show, as estimated after a compaction. */
function aheadTokens({ system, tools, messages, files, toolResults }: ContextBreakdown): number {
  return system + tools + messages + files + toolResults;
}

function percentOf(tokens: number, window: number | undefined): number {
  return window === undefined || window <= 0 ? 0 : Math.min(100, Math.round((tokens / window) * 100));
}

/** Whether costs of zero mean that nothing was spent, rather than that it is unknown. */
export function isPriceKnown(status: PanelStatus | undefined): boolean {
  return status?.model.hasPrice === true;
}

/** What was used after an earlier reading. */
export function usageSince(usage: Usage, before: Usage | undefined): Usage {
  if (before === undefined) return usage;
  const less = (key: "input" | "output" | "cacheRead" | "cacheWrite" | "cost") => Math.max(0, usage[key] - before[key]);
  return {
    ...usage,
    ...{ input: less("input"), output: less("output"), cost: less("cost") },
    ...{ cacheRead: less("cacheRead"), cacheWrite: less("cacheWrite") },
  };
}
