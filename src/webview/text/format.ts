import type { Usage } from "../../agent/types.ts";

/** 950, 6.4k, 41.2k, 128k, 1.2M */
export function formatTokens(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  if (count < 999_500) return `${scaled(count / 1_000)}k`;
  return `${scaled(count / 1_000_000)}M`;
}

function scaled(value: number): string {
  return value >= 99.95 ? String(Math.round(value)) : value.toFixed(1).replace(/\.0$/, "");
}

/** Everything that went in or came out. */
export function tokenCount(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
}

/** A known cost; undefined when nothing was charged or the price is unknown. */
export function formatCost(usd: number): string | undefined {
  if (!(usd > 0)) return undefined;
  if (usd < 0.01) return "<$0.01";
  return `$${usd < 100 ? usd.toFixed(2) : Math.round(usd)}`;
}

/** 0.4 s, 12 s, 1m 02s, 2h 05m */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${twoDigits(Math.floor(seconds % 60))}s`;
  return `${Math.floor(minutes / 60)}h ${twoDigits(minutes % 60)}m`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** The tokens and the cost of a whole tree in one line. */
export function usageLine(usage: Usage, isPriceKnown: boolean): string {
  const cached = usage.cacheRead > 0 ? ` (${formatTokens(usage.cacheRead)} cached)` : "";
  const sent = formatTokens(usage.input + usage.cacheRead + usage.cacheWrite);
  const about = usage.isEstimate ? "≈" : "";
  const tokens = `In ${about}${sent}${cached} · Out ${about}${formatTokens(usage.output)}`;
  return `${tokens} · ${costText(usage.cost, isPriceKnown)}`;
}

function costText(cost: number, isPriceKnown: boolean): string {
  const known = formatCost(cost);
  if (known !== undefined) return `≈${known}`;
  return isPriceKnown ? "no cost yet" : "no price";
}

/** "1 tool", "3 tools" */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}
