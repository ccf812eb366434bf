import { t } from "@vscode/l10n";
import type { ContextBreakdown } from "../../../protocol/hostEvents.ts";

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
    // How much room the answer needs is unknown for a model whose limit is unknown.
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
    // Room for the answer is at the far end of the window.
    const segment = { ...category, width, start: category.key === "reserved" ? 100 - width : start };
    start += width;
    return segment;
  });
}
