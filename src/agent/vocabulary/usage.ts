/**
 * Tokens and money of one or more requests. `input` excludes `cacheRead` and `cacheWrite`; `output` includes
 * `reasoning`; `cost` is USD.
 */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Of `cacheWrite`, what is kept for an hour, of one answer: its provider charges twice the price of input. */
  cacheWriteHour?: number;
  reasoning: number;
  cost: number;
  /** Counted here or beside the request, because the provider reported nothing. */
  isEstimate?: true;
}

/** Nothing spent. */
export function emptyUsage(): Usage {
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 0 };
}

/** The sum; an estimate if either is one. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    reasoning: a.reasoning + b.reasoning,
    cost: a.cost + b.cost,
    ...((a.isEstimate || b.isEstimate) && { isEstimate: true as const }),
  };
}

/** Tokens the model was shown in ONE request: fresh input plus what came from and went to the cache. */
export function contextTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}

/** Share of the window that one request filled, as an integer 0..100, rounded half up; 0 when either is unknown. */
export function contextPercent(usage: Usage | undefined, model: { id: string; contextWindow?: number }): number {
  if (usage === undefined || model.contextWindow === undefined || model.contextWindow <= 0) return 0;
  const percent = Math.floor((contextTokens(usage) / model.contextWindow) * 100 + 0.5);
  return Math.min(100, Math.max(0, percent));
}

const tokensPerPriceUnit = 1_000_000;
/** Of the price of input (Anthropic, "Prompt caching"). */
const hourPrice = 2;

/** Cost in USD; 0 for an unknown price. */
export function costOf(usage: Usage, price: Price | undefined): number {
  if (price === undefined) return 0;
  // Where writes have no price of their own, all count as input.
  const hour = price.cacheWrite === undefined ? 0 : Math.min(usage.cacheWriteHour ?? 0, usage.cacheWrite);
  const perMillion =
    usage.input * price.input +
    usage.output * price.output +
    usage.cacheRead * (price.cacheRead ?? price.input) +
    (usage.cacheWrite - hour) * (price.cacheWrite ?? price.input) +
    hour * hourPrice * price.input;
  return perMillion / tokensPerPriceUnit;
}

/** What a provider has reported of a request while its answer arrived, and the prices that it is charged by. */
export interface ReportedUsage {
  usage: Usage;
  price?: Price;
}

/** The usage of a request whose answer was cut off: as reported, with an estimate of what the answer came to. */
export function usageOfCutAnswer({ usage, price }: ReportedUsage, outputTokens: number): Usage {
  if (outputTokens <= usage.output) return usage;
  const estimate: Usage = { ...usage, output: outputTokens, isEstimate: true };
  return { ...estimate, cost: price === undefined ? usage.cost : costOf(estimate, price) };
}

/** Prices in USD per million tokens. A missing cache price counts as the input price. */
export interface Price {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}
