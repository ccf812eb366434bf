/** Runs suites, shows how each ended and sums them up. */
import { Interrupted } from "../command.mjs";

/**
 * @typedef {{ passed: number; failed: number; problem?: string }} Result
 * @typedef {{ name: string; part: string; run(): Promise<Result> }} Suite
 * @typedef {Result & { name: string; seconds: number }} Row
 */

/**
 * @param {Suite} suite
 * @returns {Promise<Row>}
 */
async function runSuite(suite) {
  const startedAt = performance.now();
  let result;
  try {
    result = await suite.run();
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    result = { passed: 0, failed: 1, problem: error.stack };
  }
  const row = { name: suite.name, seconds: (performance.now() - startedAt) / 1000, ...result };
  console.log(`${row.failed > 0 ? "✗" : "✓"} ${formatRow(row)}`);
  if (row.problem) console.log(`\n${row.problem.trimEnd()}\n`);
  return row;
}

const formatRow = ({ name, passed, failed, seconds }) =>
  `${name.padEnd(40)} ${String(passed).padStart(6)} passed ${String(failed).padStart(4)} failed ${seconds.toFixed(1).padStart(7)} s`;

/**
 * One after the other: the machine's cores are few, and editors are measured in seconds.
 * @param {Suite[]} suites
 * @returns {Promise<Row[]>}
 */
export async function runSuites(suites) {
  const rows = [];
  for (const suite of suites) rows.push(await runSuite(suite));
  return rows;
}

/**
 * Prints the table and the line that closes the run.
 * @param {Row[]} rows
 * @returns {number} how many failed
 */
export function printSummary(rows) {
  const sum = (pick) => rows.reduce((total, row) => total + pick(row), 0);
  const failed = sum((row) => row.failed);
  console.log(`\n${"─".repeat(78)}`);
  for (const row of rows) console.log(`${row.failed > 0 ? "✗" : " "} ${formatRow(row)}`);
  console.log(
    `  ${"in all".padEnd(40)} ${" ".repeat(27)}${sum((row) => row.seconds)
      .toFixed(1)
      .padStart(7)} s\n`,
  );
  console.log(`${sum((row) => row.passed)} passed, ${failed} failed`);
  return failed;
}
