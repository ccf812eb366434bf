import { t } from "@vscode/l10n";
import type { Usage } from "../../agent/types.ts";

/** 950, 6.4k, 41.2k, 128k, 1.2M */
export function formatTokens(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  if (count < 999_500) return `${scaled(count / 1_000)}k`;
  return `${scaled(count / 1_000_000)}M`;
}

/** "1 token", "6.4k tokens" */
export function tokensText(count: number): string {
  return plural(count, t("{0} token", formatTokens(count)), t("{0} tokens", formatTokens(count)));
}

function scaled(value: number): string {
  return numberText(value, value >= 99.95 ? 0 : 1);
}

/** One of two texts with a count, by the plural rules of the user's language. */
export function plural(count: number, one: string, other: string): string {
  // Making the rules takes milliseconds of the first picture; Arbor's own languages have these.
  if (/^(?:en|de)\b/.test(language)) return count === 1 ? one : other;
  pluralRules ??= new Intl.PluralRules(language);
  return pluralRules.select(count) === "one" ? one : other;
}

/** Everything that went in or came out. */
export function totalTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
}

/** A known cost; undefined when nothing was charged or the price is unknown. */
export function formatCost(usd: number): string | undefined {
  if (!(usd > 0)) return undefined;
  if (usd < 0.01) return `<${dollarText(0.01, 2)}`;
  return dollarText(usd, usd < 100 ? 2 : 0);
}

/** 0.4 s, 12 s, 1m 02s, 2h 05m */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1_000;
  if (seconds < 10) return t("{0} s", numberText(seconds, 1, 1));
  if (seconds < 60) return t("{0} s", Math.floor(seconds));
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("{0}m {1}s", minutes, twoDigits(Math.floor(seconds % 60)));
  return t("{0}h {1}m", Math.floor(minutes / 60), twoDigits(minutes % 60));
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** The tokens and the cost of a whole tree in one line. */
export function usageLine(usage: Usage, isPriceKnown: boolean): string {
  return usageParts(usage, isPriceKnown).join(" · ");
}

/** What went in, what came out, and what it cost. */
export function usageParts(usage: Usage, isPriceKnown: boolean): string[] {
  const about = usage.isEstimate ? "≈" : "";
  const sent = `${about}${formatTokens(usage.input + usage.cacheRead + usage.cacheWrite)}`;
  const cached = formatTokens(usage.cacheRead);
  return [
    usage.cacheRead > 0 ? t("In {0} ({1} cached)", sent, cached) : t("In {0}", sent),
    t("Out {0}", `${about}${formatTokens(usage.output)}`),
    aboutCost(usage.cost) ?? (isPriceKnown ? t("no cost yet") : t("no price")),
  ];
}

/** As `formatCost`, marked as what our prices come to. "Less than a cent" says that already. */
export function aboutCost(usd: number): string | undefined {
  const known = formatCost(usd);
  return known === undefined || usd < 0.01 ? known : `≈${known}`;
}

/** 812 B, 34 kB, 1.2 MB */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1_000)} kB`;
  return `${numberText(bytes / 1_000_000, 1, 1)} MB`;
}

/** The user's, as the host wrote it into the page; there is none where the panel's parts run without one. */
const language = typeof document === "undefined" ? "en" : document.documentElement.lang || "en";
const formats = new Map<string, Intl.NumberFormat>();
let pluralRules: Intl.PluralRules | undefined;

/** With the user's decimal sign. */
export function numberText(value: number, maxDigits: number, minDigits = 0): string {
  // The first format that is made costs a frame of its own: not for the first picture, which has whole numbers.
  if (minDigits === 0 && Number.isSafeInteger(value)) return String(value);
  return format({ minimumFractionDigits: minDigits, maximumFractionDigits: maxDigits }).format(value);
}

/** `$0.12`, or `0,12 $` */
export function dollarText(value: number, digits: number): string {
  return format({
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);
}

/** Making one takes longer than all that it writes. */
function format(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${options.style} ${options.minimumFractionDigits} ${options.maximumFractionDigits}`;
  const known = formats.get(key) ?? new Intl.NumberFormat(language, { ...options, useGrouping: false });
  formats.set(key, known);
  return known;
}

/** `14:05`, with the day where it is not today's. */
export function timeText(time: number, now: number): string {
  const minute = Math.floor(time / 60_000);
  const nowMinute = Math.floor(now / 60_000);
  // The messages of a long chat are drawn one after the other: most are of the same minute as the one before.
  if (lastTime?.minute === minute && lastTime.nowMinute === nowMinute) return lastTime.text;
  const date = new Date(time);
  const isToday = date.toDateString() === new Date(now).toDateString();
  const day = isToday ? {} : ({ day: "numeric", month: "short" } as const);
  const key = isToday ? "time" : "day and time";
  const known =
    timeFormats.get(key) ?? new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", ...day });
  timeFormats.set(key, known);
  lastTime = { minute, nowMinute, text: known.format(date) };
  return lastTime.text;
}

let lastTime: { minute: number; nowMinute: number; text: string } | undefined;
const timeFormats = new Map<string, Intl.DateTimeFormat>();
