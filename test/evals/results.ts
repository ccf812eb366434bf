import * as z from "zod";
import { UserError } from "../../src/extension/common/userError.ts";

/** Tokens of all requests of all agents; `input` excludes what came from and went to the cache. `cost` is USD. */
const usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  cost: z.number(),
});

const outcome = z.object({
  task: z.string(),
  passed: z.boolean(),
  /** Why it failed. */
  problems: z.array(z.string()),
  usage,
  /** Requests, of all agents. */
  turns: z.number(),
  seconds: z.number(),
  /** Of `ask_user`. */
  questions: z.number(),
  /** Edits and commands that the user was asked about. */
  approvals: z.number(),
  /** Agents beside the one that the user talks to. */
  delegated: z.number(),
  /** The text of the last answer. */
  answer: z.string(),
  /** The tool calls of all agents in order, each on a line. */
  calls: z.array(z.string()),
});
/** One run of a task in figures. */
export type TaskOutcome = z.infer<typeof outcome>;

const results = z.object({
  version: z.literal(1),
  model: z.string(),
  /** When the run began. */
  startedAt: z.iso.datetime(),
  /** In the order of the tasks; a task that was repeated has several. */
  outcomes: z.array(outcome),
});
export type EvalResults = z.infer<typeof results>;

/** Throws a `UserError` for what no run has written. */
export function parseResults(json: string, name: string): EvalResults {
  try {
    return results.parse(JSON.parse(json));
  } catch {
    throw new UserError(`${name} holds no results of evals.`);
  }
}

/** All runs of one task, or of all tasks, in sums and means. */
interface Row {
  task: string;
  runs: number;
  passed: number;
  tokens: number;
  /** Of the tokens that models were shown, from 0 to 1. */
  cached: number;
  cost: number;
  turns: number;
  seconds: number;
  questions: number;
}

function rowOf(task: string, outcomes: readonly TaskOutcome[]): Row {
  const sum = (figure: (each: TaskOutcome) => number) => outcomes.reduce((total, each) => total + figure(each), 0);
  const mean = (figure: (each: TaskOutcome) => number) => sum(figure) / Math.max(1, outcomes.length);
  const shown = ({ input, cacheRead, cacheWrite }: TaskOutcome["usage"]) => input + cacheRead + cacheWrite;
  return {
    task,
    runs: outcomes.length,
    passed: outcomes.filter(({ passed }) => passed).length,
    tokens: mean((each) => shown(each.usage) + each.usage.output),
    cached:
      sum((each) => each.usage.cacheRead) /
      Math.max(
        1,
        sum((each) => shown(each.usage)),
      ),
    cost: mean((each) => each.usage.cost),
    turns: mean(({ turns }) => turns),
    seconds: mean(({ seconds }) => seconds),
    questions: mean(({ questions }) => questions),
  };
}

function rowsOf({ outcomes }: EvalResults): Row[] {
  return [...Map.groupBy(outcomes, ({ task }) => task)].map(([task, list]) => rowOf(task, list));
}

/** Of all tasks: each task counts once, however often it was repeated. */
function totalOf(rows: readonly Row[]): Row {
  const sum = (figure: (row: Row) => number) => rows.reduce((total, row) => total + figure(row), 0);
  const shown = sum(({ tokens }) => tokens);
  return {
    task: "All",
    runs: sum(({ runs }) => runs),
    passed: sum(({ passed }) => passed),
    tokens: shown,
    cached: sum(({ cached, tokens }) => cached * tokens) / Math.max(1, shown),
    cost: sum(({ cost }) => cost),
    turns: sum(({ turns }) => turns),
    seconds: sum(({ seconds }) => seconds),
    questions: sum(({ questions }) => questions),
  };
}

const count = (value: number) => Math.round(value).toLocaleString("en-US");
const decimal = (value: number) => (Number.isInteger(value) ? String(value) : value.toFixed(1));
const percent = (share: number) => `${Math.round(share * 100)}%`;
const dollars = (cost: number) => `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
const passedOf = ({ passed, runs }: Row) => `${passed}/${runs}`;

/** A run as a table, with why tasks failed. Figures of a task that was repeated are means, those of all tasks sums. */
export function resultsTable(run: EvalResults): string {
  const rows = rowsOf(run);
  const cells = [...rows, totalOf(rows)].map((row) => [
    ...[row.task, passedOf(row), count(row.tokens), percent(row.cached), dollars(row.cost)],
    ...[decimal(row.turns), decimal(row.seconds), decimal(row.questions)],
  ]);
  const head = ["task", "passed", "tokens", "cached", "cost", "turns", "seconds", "questions"];
  const failed = run.outcomes.filter(({ passed }) => !passed);
  // A task that was repeated may fail for one reason each time.
  const reasons = new Set(failed.map(({ task, problems }) => [task, ...problems.map(indented)].join("\n")));
  return [table(head, cells), ...(reasons.size > 0 ? ["", "Failed:", ...reasons] : [])].join("\n");
}

/**
 * Two runs side by side, the second with what differs: tasks that only one of them has are named, and not counted in the
 * last line. A task is marked whose share of passed runs fell or rose.
 */
export function comparisonTable(one: EvalResults, other: EvalResults): string {
  const before = new Map(rowsOf(one).map((row) => [row.task, row]));
  const after = new Map(rowsOf(other).map((row) => [row.task, row]));
  const shared = [...before.values()].flatMap((row) => {
    const now = after.get(row.task);
    return now === undefined ? [] : [[row, now] as const];
  });
  const totals = [totalOf(shared.map(([row]) => row)), totalOf(shared.map(([, row]) => row))] as const;
  const pair = (left: string, right: string) => (left === right ? left : `${left} → ${right}`);
  const cells = [...shared, totals].map(([row, now]) => [
    ...[row.task, pair(passedOf(row), passedOf(now)), verdictOf(row, now)],
    pair(count(row.tokens), count(now.tokens)),
    pair(percent(row.cached), percent(now.cached)),
    pair(dollars(row.cost), dollars(now.cost)),
    pair(decimal(row.turns), decimal(now.turns)),
    pair(decimal(row.seconds), decimal(now.seconds)),
    pair(decimal(row.questions), decimal(now.questions)),
  ]);
  const head = ["task", "passed", "", "tokens", "cached", "cost", "turns", "seconds", "questions"];
  const alone = [
    ...[...before.keys()].filter((task) => !after.has(task)).map((task) => `Only the first run has ${task}.`),
    ...[...after.keys()].filter((task) => !before.has(task)).map((task) => `Only the second run has ${task}.`),
  ];
  const names = [one, other].map(({ model, startedAt }) => `${model}, ${startedAt}`);
  return [names.join(" → "), "", table(head, cells), ...alone].join("\n");
}

function verdictOf(before: Row, after: Row): string {
  const change = after.passed / Math.max(1, after.runs) - before.passed / Math.max(1, before.runs);
  return change === 0 ? "" : change > 0 ? "better" : "worse";
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

/** Columns are as wide as their widest cell; all but the first are set right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]) =>
    widths
      .map((width, column) =>
        column === 0 ? (cells[column] ?? "").padEnd(width) : (cells[column] ?? "").padStart(width),
      )
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "─".repeat(width)).join("  ");
  return [line(head), rule, ...rows.slice(0, -1).map(line), rule, ...rows.slice(-1).map(line)].join("\n");
}
