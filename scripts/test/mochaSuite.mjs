/** Runs mocha on one suite and reads its own JSON report. */
import { readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { run } from "../command.mjs";
import { mochaBin, node24, root } from "../paths.mjs";

/** Shows each test as it ends and writes mocha's JSON report: for suites that take minutes. */
export const liveReporter = path.join(root, "scripts/test/liveReporter.cjs");

let reports = 0;
export const newReportFile = () => path.join(os.tmpdir(), `arbor-report-${process.pid}-${reports++}.json`);

function describeFailure({ fullTitle, file, err }) {
  const where = file ? ` (${path.relative(root, file)})` : "";
  return `✗ ${fullTitle}${where}\n${err.stack ?? err.message}`;
}

/**
 * What a suite came to. A suite that died before it could report, or that found nothing to run, has failed.
 * @param {string} reportFile
 * @param {{ code: number; output: string }} outcome
 * @param {{ mayBeEmpty?: boolean }} [options]
 * @returns {Promise<{ passed: number; failed: number; problem?: string }>}
 */
export async function readReport(reportFile, { code, output }, { mayBeEmpty = false } = {}) {
  let report;
  try {
    report = JSON.parse(await readFile(reportFile, "utf8"));
  } catch {
    return { passed: 0, failed: 1, problem: `The suite ended with ${code} and left no report.\n${output}` };
  } finally {
    await rm(reportFile, { force: true });
  }
  const { passes, failures, tests } = report.stats;
  if (failures > 0) {
    return { passed: passes, failed: failures, problem: report.failures.map(describeFailure).join("\n\n") };
  }
  if (code !== 0)
    return { passed: passes, failed: 1, problem: `All tests passed, yet the suite ended with ${code}.\n${output}` };
  if (tests === 0 && !mayBeEmpty) return { passed: 0, failed: 1, problem: "The suite has no tests." };
  return { passed: passes, failed: 0 };
}

/**
 * @param {string} pattern the test files
 * @param {{ grep?: string; ignore?: string; live?: boolean; env?: NodeJS.ProcessEnv; timeoutMs?: number }} options
 */
export async function runMocha(pattern, { grep, ignore, live = false, env = process.env, timeoutMs }) {
  const reportFile = newReportFile();
  const args = [
    mochaBin,
    ...["--reporter", live ? liveReporter : "json", "--reporter-option", `output=${reportFile}`],
    // A test that is switched off or runs alone is not in the count anybody reads.
    ...["--forbid-only", "--forbid-pending"],
    ...(timeoutMs ? ["--timeout", String(timeoutMs)] : []),
    ...(grep ? ["--grep", grep] : []),
    ...(ignore ? ["--ignore", ignore] : []),
    pattern,
  ];
  const outcome = await run(node24, args, { env, live });
  return readReport(reportFile, outcome, { mayBeEmpty: grep !== undefined });
}
