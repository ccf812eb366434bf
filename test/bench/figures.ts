// The figures of whole runs, and their way into docs/performance.md, so that they are not copied by hand.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Row, table } from "./report.ts";

const folder = join(import.meta.dirname, "../../out/bench/runs");
const docs = join(import.meta.dirname, "../../docs/performance.md");
const shownRuns = 3;
const start = "<!-- written by `npm run bench -- --write` -->";
const end = "<!-- end of what is written -->";

/** All rows of one run, by suite. */
interface Run {
  date: string;
  /** How busy the machine was. */
  before: string;
  after: string;
  measured: Readonly<Record<string, readonly Row[]>>;
}

export function keepRun(run: Omit<Run, "date">): void {
  mkdirSync(folder, { recursive: true });
  const date = new Date().toISOString();
  writeFileSync(join(folder, `${date.replaceAll(":", "-")}.json`), JSON.stringify({ date, ...run }, null, 1));
}

export function writeDocs(): void {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const runs = files
    .toSorted()
    .slice(-shownRuns)
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Run);
  writeFileSync(docs, withFigures(readFileSync(docs, "utf8"), figuresOf(runs)));
  execFileSync(join(import.meta.dirname, "../../node_modules/.bin/biome"), ["format", "--write", docs]);
}

/** A cell has the figures of all runs, in order. */
export function figuresOf(runs: readonly Run[]): string {
  const suites = [...new Set(runs.flatMap(({ measured }) => Object.keys(measured)))];
  const lists = runs.map(
    ({ date, before, after }) => `- ${date.slice(0, 16).replace("T", " ")}, ${before}; at the end ${after}`,
  );
  const tables = suites.map(
    (suite) => `### ${suite}\n\n${table(...runs.map(({ measured }) => measured[suite] ?? []))}`,
  );
  return [lists.join("\n"), ...tables].join("\n\n");
}

export function withFigures(text: string, figures: string): string {
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no place for figures: ${start} … ${end}`);
  return `${text.slice(0, from + start.length)}\n\n${figures}\n\n${text.slice(to)}`;
}
