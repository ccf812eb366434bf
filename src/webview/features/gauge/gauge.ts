import { t } from "@vscode/l10n";
import type { TreeNode } from "../../../agent/types.ts";
import type { ContextBreakdown } from "../../../protocol/hostEvents.ts";
import type { PanelStatus } from "../../../protocol/messages.ts";
import { formatTokens } from "../../text/format.ts";

/** How full an agent's context was in its last request. */
export interface GaugeReading {
  tokens: number;
  /** Unknown for a model that does not tell its size. */
  window: number | undefined;
  /** 0 to 100. */
  percent: number;
  /** `41.2k of 200k tokens` */
  text: string;
}

export function gaugeReading(
  node: TreeNode | undefined,
  context: ContextBreakdown | undefined,
  status: PanelStatus | undefined,
): GaugeReading {
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

export interface GaugeCategory {
  name: string;
  key: "system" | "tools" | "messages" | "files" | "toolResults" | "reserved";
  tokens: number;
}

export function gaugeCategories(context: ContextBreakdown): GaugeCategory[] {
  const reserved: GaugeCategory = { key: "reserved", name: t("Reserved"), tokens: context.reserved };
  return [
    { key: "system", name: t("System"), tokens: context.system },
    { key: "tools", name: t("Tools"), tokens: context.tools },
    { key: "messages", name: t("Messages"), tokens: context.messages },
    { key: "files", name: t("Files"), tokens: context.files },
    { key: "toolResults", name: t("Tool results"), tokens: context.toolResults },
    // How much room the answer needs is unknown for a model that does not tell its limit.
    ...(reserved.tokens > 0 ? [reserved] : []),
  ];
}

/** Where each category begins and how wide it is, in percent of the window (or of the sum, when that is unknown). */
export function gaugeSegments(context: ContextBreakdown): (GaugeCategory & { start: number; width: number })[] {
  const categories = gaugeCategories(context);
  const sum = categories.reduce((total, category) => total + category.tokens, 0);
  const whole = Math.max(context.window ?? sum, sum, 1);
  let start = 0;
  return categories.map((category) => {
    const width = (category.tokens / whole) * 100;
    // Room for the answer stands at the far end of the window.
    const segment = { ...category, width, start: category.key === "reserved" ? 100 - width : start };
    start += width;
    return segment;
  });
}
