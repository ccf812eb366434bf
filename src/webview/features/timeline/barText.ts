import { t } from "@vscode/l10n";
import { agentTitle } from "../../model/agents.ts";
import { formatDuration } from "../../text/format.ts";
import { oneLine } from "../../text/visible.ts";
import type { PathStep } from "./criticalPath.ts";
import { type Bar, type BarKind, barKinds, endOf, type Lane } from "./timelineFold.ts";

export const kindTexts: Readonly<Record<BarKind, string>> = {
  request: t("Model request"),
  tool: t("Tool"),
  agents: t("Agents at work"),
  provider: t("Waiting for the provider"),
  user: t("Waiting for you"),
};

/** Letters. */
const maxLabel = 200;

/** What it is, without whose. */
function whatText({ kind, label, isFailed }: Bar): string {
  const shown = oneLine(label, maxLabel);
  const what =
    kind === "tool" && shown !== "" ? shown : [kindTexts[kind], shown].filter((part) => part !== "").join(": ");
  return isFailed ? t("{0}, failed", what) : what;
}

function durationText(bar: Bar, until: number): string {
  const text = formatDuration(endOf(bar, until) - bar.start);
  return bar.end === undefined || bar.end > until ? t("{0} so far", text) : text;
}

/** Whose it is, what it is, how long it took, and how long after the beginning. */
export function barTexts(lane: Lane | undefined, bar: Bar, { start, until }: { start: number; until: number }) {
  const agent = lane === undefined ? "" : agentTitle(lane.meta);
  return { agent, what: whatText(bar), duration: durationText(bar, until), after: formatDuration(bar.start - start) };
}

/** Where the time of a run went: the longest first. */
export function pathText(steps: readonly PathStep[]): string {
  const times = pathTimes(steps);
  const whole = [...times.values()].reduce((sum, time) => sum + time, 0);
  if (whole <= 0) return "";
  const known = barKinds.flatMap((kind) => ({ text: kindTexts[kind], time: times.get(kind) ?? 0 }));
  const parts = [...known, { text: t("Other"), time: times.get(undefined) ?? 0 }].sort(
    (one, other) => other.time - one.time,
  );
  const percents = wholePercents(parts.map(({ time }) => time / whole));
  const shown = parts.flatMap(({ text }, index) => (percents[index] ? t("{0} {1}%", text, percents[index]) : []));
  return t("Critical path {0}: {1}", formatDuration(whole), shown.join(" · "));
}

/** Shares of a whole in full percent. Those that lose most by being cut are raised, so that all add up to 100. */
function wholePercents(shares: readonly number[]): number[] {
  const percents = shares.map((share) => Math.floor(share * 100));
  const left = 100 - percents.reduce((sum, percent) => sum + percent, 0);
  const lost = (index: number) => (shares[index] ?? 0) * 100 - (percents[index] ?? 0);
  const raised = [...shares.keys()].sort((one, other) => lost(other) - lost(one)).slice(0, left);
  return percents.map((percent, index) => (raised.includes(index) ? percent + 1 : percent));
}

/** How long the path was in each kind of work; `undefined` is what is not known. */
function pathTimes(steps: readonly PathStep[]): Map<BarKind | undefined, number> {
  const times = new Map<BarKind | undefined, number>();
  for (const { bar, start, end } of steps) times.set(bar?.kind, (times.get(bar?.kind) ?? 0) + end - start);
  return times;
}
