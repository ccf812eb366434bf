/** Runs suites, shows how each ended and sums them up. */
import os from "node:os";
import { Interrupted } from "../command.mjs";

/**
 * A suite is one run, or several shards that may run side by side. What runs `first` ends before anything else starts.
 * `retry` is there where a failure may be the machine's: a real editor or browser that shares two cores with others loses
 * a click now and then. `flaky` says what failed at first and passed at the second try.
 * @typedef {{ title: string; file?: string; ms: number }} Timing
 * @typedef {{ passed: number; failed: number; problem?: string; flaky?: string; retry?: Run; timings?: Timing[] }} Result
 * @typedef {() => Promise<Result>} Run
 * @typedef {{ name: string; part: string; first?: boolean; run?: Run; shards?: () => Promise<Run[]> }} Suite
 * @typedef {Result & { name: string; seconds: number }} Row
 */

/**
 * @param {Run} run
 * @returns {Promise<Result & { seconds: number }>}
 */
async function timed(run) {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  try {
    return { ...(await run()), seconds: seconds() };
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    return { passed: 0, failed: 1, problem: error.stack, seconds: seconds() };
  }
}

/**
 * @param {Suite} suite
 * @returns {Promise<Run[]>}
 */
async function shardsOf({ run, shards }) {
  if (shards === undefined) return [run];
  try {
    const runs = await shards();
    return runs.length > 0 ? runs : [async () => ({ passed: 0, failed: 1, problem: "The suite has no tests." })];
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    return [() => Promise.reject(error)];
  }
}

/**
 * @param {Suite} suite
 * @param {readonly Awaited<ReturnType<typeof timed>>[]} results
 * @returns {Row}
 */
function toRow({ name }, results) {
  const sum = (pick) => results.reduce((total, result) => total + pick(result), 0);
  const problems = results.flatMap(({ problem }) => problem ?? []);
  const flaky = results.flatMap((result) => result.flaky ?? []);
  return {
    name,
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    seconds: sum(({ seconds }) => seconds),
    timings: results.flatMap(({ timings = [] }) => timings),
    ...(problems.length > 0 && { problem: problems.join("\n\n") }),
    ...(flaky.length > 0 && { flaky: flaky.join("\n\n") }),
  };
}

const formatRow = ({ name, passed, failed, seconds }) =>
  `${name.padEnd(40)} ${String(passed).padStart(6)} passed ${String(failed).padStart(4)} failed ${seconds.toFixed(1).padStart(7)} s`;

/** Most shards wait for an editor or a browser a third of the time: one more than there are cores keeps those busy. */
const defaultLanes = os.availableParallelism() + 1;

/**
 * Runs the shards of all suites in order, a few at a time.
 * What may be tried again is tried at the end, with nothing beside it.
 * @param {Suite[]} suites
 * @param {number} [lanes] how many shards run side by side
 * @returns {Promise<Row[]>}
 */
export async function runSuites(suites, lanes = defaultLanes) {
  const rows = [];
  const show = (row) => {
    rows.push(row);
    console.log(`${row.failed > 0 ? "✗" : "✓"} ${formatRow(row)}`);
    if (row.problem) console.log(`\n${row.problem.trimEnd()}\n`);
    if (row.flaky) console.log(`\nPassed only at a second try:\n\n${row.flaky.trimEnd()}\n`);
  };
  for (const suite of suites.filter(({ first }) => first)) show(toRow(suite, [await timed(suite.run)]));

  const postponed = [];
  const finish = (suite, results) => {
    if (results.some(({ retry }) => retry)) postponed.push({ suite, results });
    else show(toRow(suite, results));
  };
  const queue = queueOf(
    suites.filter(({ first }) => !first),
    finish,
  );
  const work = async () => {
    for (let next = await queue.next(); !next.done; next = await queue.next()) await next.value();
  };
  await Promise.all(Array.from({ length: lanes }, work));
  for (const { suite, results } of postponed) show(toRow(suite, await retried(results)));
  return rows;
}

/** The steps that run all shards; the last one of a suite hands over its results. */
async function* queueOf(suites, finish) {
  for (const suite of suites) {
    const runs = await shardsOf(suite);
    const results = [];
    for (const run of runs) {
      yield async () => {
        results.push(await timed(run));
        if (results.length === runs.length) finish(suite, results);
      };
    }
  }
}

/** @param {readonly Awaited<ReturnType<typeof timed>>[]} results */
async function retried(results) {
  const final = [];
  for (const result of results) {
    if (result.retry === undefined) {
      final.push(result);
      continue;
    }
    const second = await timed(result.retry);
    const seconds = result.seconds + second.seconds;
    final.push({ ...second, seconds, ...(second.failed === 0 && { flaky: result.problem }) });
  }
  return final;
}

const namedAsSlow = 40;

/** @param {Row[]} rows */
export function printSlowest(rows) {
  for (const { name, timings = [] } of rows) {
    const slowest = timings.toSorted((one, other) => other.ms - one.ms).slice(0, namedAsSlow);
    if (slowest.length === 0) continue;
    console.log(`\nSlowest of ${name}`);
    for (const { title, ms } of slowest) console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${title}`);
  }
}

/** The lines that name failed tests; where there are none, the beginning. */
function namesIn(problem) {
  const lines = problem.split("\n");
  const names = lines.filter((line) => line.startsWith("✗"));
  return (names.length > 0 ? names : lines.slice(0, 3)).join("\n");
}

/**
 * Prints the table and the line that closes the run.
 * @param {Row[]} rows
 * @param {number} seconds how long the whole run took; suites run side by side
 * @returns {number} how many failed
 */
export function printSummary(rows, seconds) {
  const sum = (pick) => rows.reduce((total, row) => total + pick(row), 0);
  const failed = sum((row) => row.failed);
  console.log(`\n${"─".repeat(78)}`);
  for (const row of rows) console.log(`${row.failed > 0 ? "✗" : " "} ${formatRow(row)}`);
  console.log(`  ${"in all".padEnd(40)} ${" ".repeat(27)}${seconds.toFixed(1).padStart(7)} s\n`);
  // Once more, because of a long output often only the end is read.
  for (const { problem } of rows) if (problem) console.log(`${namesIn(problem)}\n`);
  console.log(`${sum((row) => row.passed)} passed, ${failed} failed`);
  return failed;
}
