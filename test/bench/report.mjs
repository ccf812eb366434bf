// What the benches print: tables in Markdown, each cell a median.
import { availableParallelism, loadavg } from "node:os";

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Figures of a machine that others use are marked as such. */
export function machineLoad() {
  const [minute] = loadavg();
  const cores = availableParallelism();
  return `load ${minute.toFixed(1)} on ${cores} cores${minute > cores / 2 ? ": UNDER LOAD, only ratios say something" : ""}`;
}

/**
 * One row: the first of `samples` is what the others are compared with, round by round. The ratio is the median of the
 * rounds' ratios, since load on the machine meets both sides of a round.
 */
export function ratioRow(title, samples, { unit, goal }) {
  const [[, floor], ...others] = Object.entries(samples);
  const isMeasured = floor.every((value) => value !== undefined);
  const ratioOf = (list) => median(list.flatMap((value, round) => (value === undefined ? [] : [value / floor[round]])));
  const cells = others.map(([, list]) => {
    const measured = list.filter((value) => value !== undefined);
    return isMeasured && measured.length > 0
      ? `${ratioOf(list).toFixed(2)} (${rounded(median(measured))} ${unit})`
      : "failed";
  });
  const own = others[0]?.[1];
  const verdict = goal === undefined || own === undefined ? "" : ratioOf(own) <= goal ? "met" : "MISSED";
  return [title, isMeasured ? `${rounded(median(floor))} ${unit}` : "", ...cells, goal ?? "", verdict];
}

export function table(head, rows) {
  const padded = rows.map((row) => [
    ...row.slice(0, -2),
    ...Array(head.length - row.length).fill(""),
    ...row.slice(-2),
  ]);
  return [head, head.map(() => "---"), ...padded].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function rounded(value) {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}
