import { t } from "@vscode/l10n";
import { agentTitle } from "../../model/agents.ts";
import { formatDuration, numberText } from "../../text/format.ts";
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
  const parts = [...known, { text: t("Other"), time: times.get(undefined) ?? 0 }]
    .filter(({ time }) => time / whole >= 0.005)
    .sort((one, other) => other.time - one.time)
    .map(({ text, time }) => t("{0} {1}%", text, numberText((time / whole) * 100, 0)));
  return t("Critical path {0}: {1}", formatDuration(whole), parts.join(" · "));
}

/** How long the path was in each kind of work; `undefined` is what is not known. */
function pathTimes(steps: readonly PathStep[]): Map<BarKind | undefined, number> {
  const times = new Map<BarKind | undefined, number>();
  for (const { bar, start, end } of steps) times.set(bar?.kind, (times.get(bar?.kind) ?? 0) + end - start);
  return times;
}
