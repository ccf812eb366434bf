import { t } from "@vscode/l10n";
import type { ModelFacts } from "../facts.ts";

/** What is known of a model in one line. What is not known is said where people look for it, else left out. */
export function modelText(facts: ModelFacts): string {
  const { contextWindow, thinkingLevels, images, tools, retires } = facts;
  const levels = thinkingLevels?.filter((level) => level !== "off") ?? [];
  const words = [
    contextWindow === undefined ? t("context unknown") : t("{0} context", shortCount(contextWindow)),
    priceText(facts.price),
    images === undefined ? undefined : images ? t("images") : t("no images"),
    levels.length === 0 ? undefined : t("thinking {0}", levelRange(levels)),
    tools === false ? t("no tools") : undefined,
    retires === undefined ? undefined : t("retires {0}", retires),
  ];
  return words.filter((word) => word !== undefined).join(" · ");
}

function priceText(price: ModelFacts["price"]): string {
  if (price === undefined) return t("no price");
  if (price.input === 0 && price.output === 0) return t("free");
  const [input, output] = [shortPrice(price.input), shortPrice(price.output)];
  if (price.cacheRead === undefined) return t("{0} in, {1} out per million", input, output);
  return t("{0} in, {1} out, {2} cached per million", input, output, shortPrice(price.cacheRead));
}

function levelRange(levels: readonly string[]): string {
  return levels.length === 1 ? String(levels[0]) : `${levels[0]}–${levels.at(-1)}`;
}

/** 200k, 1M, 1.05M */
function shortCount(tokens: number): string {
  if (tokens >= 1_000_000) return `${Number((tokens / 1_000_000).toFixed(2))}M`;
  return tokens >= 1_000 ? `${Math.round(tokens / 1_000)}k` : String(tokens);
}

function shortPrice(usd: number): string {
  return `$${Number(usd.toPrecision(4))}`;
}
