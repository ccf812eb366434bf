// What the benches print: tables in Markdown, each cell a median.
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";

/** What all rows of a run share: built once, made again by the next run. */
export const builtFolder = join(import.meta.dirname, "../../out/bench/built");

/** Of a table: what was measured, or why it was not. */
export interface Row {
  title: string;
  failed?: string;
  unit?: string;
  /** What ours is compared with. */
  compared?: number;
  value?: number | undefined;
  ratio?: number | undefined;
  goal?: number | undefined;
  /** How the goal is shown, where it is no ratio. */
  goalIs?: string | undefined;
  isMet?: boolean | undefined;
  peers?: Readonly<Record<string, Compared | undefined>>;
}

interface Compared {
  ratio: number;
  value: number;
}

type Samples = readonly (number | undefined)[];

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Figures of a machine that others use are marked as such. */
export function machineLoad(): string {
  const [minute = 0] = loadavg();
  const cores = availableParallelism();
  return `load ${minute.toFixed(1)} on ${cores} cores${minute > cores / 2 ? ": UNDER LOAD, only ratios say something" : ""}`;
}

/**
 * One row: the first of `samples` is what the others are compared with, round by round, and the second is ours. The ratio is
 * the median of the rounds' ratios, since load on the machine meets both sides of a round.
 */
export function ratioRow(
  title: string,
  samples: Readonly<Record<string, Samples>>,
  { unit, goal }: { unit: string; goal?: number },
): Row {
  const [[, floor = []] = [], ...others] = Object.entries(samples);
  const known = floor.filter((value) => value !== undefined);
  // What took no time, once the pace is taken off, is noise.
  const isComparable = known.length > 0 && known.length === floor.length && known.every((value) => value > 0);
  if (!isComparable) return { title, failed: "nothing to compare with" };
  const [[, own] = [], ...peers] = others.map(([name, list]) => [name, comparedWith(list, known)] as const);
  const isMet = goal === undefined || own === undefined ? undefined : own.ratio <= goal;
  return { title, unit, compared: median(known), ...own, goal, isMet, peers: Object.fromEntries(peers) };
}

function comparedWith(list: Samples, floor: readonly number[]): Compared | undefined {
  const rounds = list.flatMap((value, at) => (value === undefined ? [] : [{ value, ratio: value / (floor[at] ?? 0) }]));
  if (rounds.length === 0) return undefined;
  return { ratio: median(rounds.map(({ ratio }) => ratio)), value: median(rounds.map(({ value }) => value)) };
}

/** A row that is compared with nothing but its limit. */
export function limitRow(
  title: string,
  values: readonly number[],
  { unit, goal, isLeast = false }: { unit: string; goal?: number; isLeast?: boolean },
): Row {
  const value = median(values);
  if (!Number.isFinite(value)) return { title, failed: "no figure" };
  if (goal === undefined) return { title, unit, value };
  const goalIs = `${isLeast ? "≥" : "≤"} ${goal} ${unit}`.trim();
  return { title, unit, value, goal, goalIs, isMet: isLeast ? value >= goal : value <= goal };
}

/** Rows in the order of the runs, each in the place where one first has it; a cell has the figure of each run. */
export function table(...runs: readonly (readonly Row[])[]): string {
  const titles = new Set(runs.flat().map(({ title }) => title));
  const names = [...new Set(runs.flat().flatMap(({ peers }) => Object.keys(peers ?? {})))];
  const head = ["row", "compared with", "Arbor", "ratio", ...names, "goal", ""];
  const rows = [...titles].map((title) => {
    const all = runs.map((run): Row => run.find((row) => row.title === title) ?? { title, failed: "not measured" });
    const { goal, goalIs } = all.find((row) => row.failed === undefined) ?? { title };
    return [
      title,
      cell(all, ({ compared, unit }) => figure(compared, unit)),
      cell(all, ({ value, unit }) => figure(value, unit)),
      cell(all, ({ ratio }) => ratio?.toFixed(2) ?? ""),
      ...names.map((name) => cell(all, (row) => peerFigure(row, name))),
      goalIs ?? goal ?? "",
      verdict(all),
    ];
  });
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function cell(rows: readonly Row[], figureOf: (row: Row) => string): string {
  const figures = rows.map((row) => (row.failed === undefined ? figureOf(row) : "failed"));
  return figures.every((text) => text === "") ? "" : figures.join(" / ");
}

function verdict(rows: readonly Row[]): string {
  const failed = rows.find((row) => row.failed !== undefined)?.failed;
  if (failed !== undefined) return `FAILED: ${failed.replaceAll("|", "\\|")}`;
  if (rows.some(({ isMet }) => isMet === false)) return "MISSED";
  return rows.some(({ isMet }) => isMet === true) ? "met" : "";
}

function peerFigure({ peers }: Row, name: string): string {
  if (peers === undefined || !Object.hasOwn(peers, name)) return "";
  return peers[name]?.ratio.toFixed(2) ?? "failed";
}

function figure(value: number | undefined, unit = ""): string {
  return value === undefined ? "" : `${rounded(value)} ${unit}`.trim();
}

function rounded(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
