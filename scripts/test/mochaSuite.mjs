/** Runs mocha on one suite and reads its own JSON report. */
import { readdir, readFile, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { run } from "../command.mjs";
import { mochaBin, node24, root } from "../paths.mjs";
import { fallingGroups } from "./groups.mjs";

/** Shows each test and writes mocha's JSON report: for suites that take minutes. */
const specAndJson = path.join(root, "scripts/test/specAndJson.cjs");
const sameCases = path.join(root, "test/support/sameCases.ts");

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
 * @returns {Promise<import("./report.mjs").Result & { failedFiles?: string[]; passedElsewhere?: number }>} with the files
 *   that hold the failures, and how many tests of other files passed, where that is known
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
  const timings = report.tests.map(({ fullTitle, file, duration = 0 }) => ({ title: fullTitle, file, ms: duration }));
  if (failures > 0) {
    const failedFiles = [...new Set(report.failures.map(({ file }) => file))];
    return {
      passed: passes,
      failed: failures,
      timings,
      problem: report.failures.map(describeFailure).join("\n\n"),
      ...(failedFiles.every((file) => file) && {
        failedFiles,
        passedElsewhere: report.passes.filter(({ file }) => !failedFiles.includes(file)).length,
      }),
    };
  }
  if (code !== 0)
    return {
      passed: passes,
      failed: 1,
      timings,
      problem: `All tests passed, yet the suite ended with ${code}.\n${output}`,
    };
  if (tests === 0 && !mayBeEmpty) return { passed: 0, failed: 1, problem: "The suite has no tests." };
  return { passed: passes, failed: 0, timings };
}

/**
 * @param {string} folder below the project
 * @param {(file: string) => boolean} [isWanted]
 * @returns {Promise<string[]>} its test files, largest first, as paths below the project
 */
export async function findTests(folder, isWanted = () => true) {
  const names = await readdir(path.join(root, folder), { recursive: true });
  const files = names.map((name) => `${folder}/${name.split(path.sep).join("/")}`);
  const tests = await Promise.all(
    files
      .filter((file) => file.endsWith(".test.ts") && !file.includes("/node_modules/") && isWanted(file))
      .map(async (file) => ({ file, size: (await stat(path.join(root, file))).size })),
  );
  return tests.sort((a, b) => b.size - a.size).map(({ file }) => file);
}

/**
 * @typedef {object} ShardOptions
 * @property {number} [shards] the number of runs
 * @property {(file: string) => number} [secondsOf] what a file takes, where that is known: runs are shorter and shorter
 * @property {boolean} [retries] the files that hold a failure may run once more
 * @property {(files: string[]) => Promise<import("./offline.mjs").Place | undefined>} [placeOf] where files run
 */

/**
 * The same files in several runs, of about the same length or as `secondsOf` lets them be. A run for few tests is not
 * worth several starts.
 * @param {string[]} files
 * @param {Omit<Parameters<typeof runMocha>[1], "place"> & ShardOptions} options
 * @returns {import("./report.mjs").Run[]}
 */
export function shardMocha(
  files,
  { shards = 1, secondsOf, retries = false, placeOf = async () => undefined, ...others },
) {
  const count = others.grep ? 1 : Math.min(shards, files.length);
  const groups = secondsOf ? fallingGroups(files, count, secondsOf) : dealt(files, count);
  return groups.map((group) => async () => {
    const options = { ...others, place: await placeOf(group) };
    const { failedFiles = group, passedElsewhere = 0, ...first } = await runMocha(group, options);
    if (first.failed === 0 || !retries) return first;
    const retry = async () => {
      const { passed, failed, problem } = await runMocha(failedFiles, options);
      return { passed: passedElsewhere + passed, failed, problem };
    };
    return { ...first, retry };
  });
}

/** Each group gets every `count`th file. */
const dealt = (files, count) =>
  Array.from({ length: count }, (_, group) => files.filter((_, index) => index % count === group));

/**
 * @param {string[]} files the test files
 * @param {{ grep?: string; verbose?: boolean; env?: NodeJS.ProcessEnv; timeoutMs?: number; place?: import("./offline.mjs").Place }} options
 *   `verbose` shows each test, once the run has ended
 */
export async function runMocha(files, { grep, verbose = false, env = process.env, timeoutMs, place }) {
  const reportFile = newReportFile();
  const [command = node24, ...args] = [
    ...(place?.command ?? []),
    ...[node24, mochaBin],
    ...["--reporter", verbose ? specAndJson : "json", "--reporter-option", `output=${reportFile}`],
    // A test that is switched off or runs alone is not in the count anybody reads.
    ...["--forbid-only", "--forbid-pending"],
    // A soak brings its own.
    ...(env.ARBOR_SOAK ? [] : ["--require", sameCases]),
    ...(timeoutMs ? ["--timeout", String(timeoutMs)] : []),
    ...(grep ? ["--grep", grep] : []),
    ...files,
  ];
  const outcome = await run(command, args, { env: { ...env, ...place?.env } });
  if (verbose) console.log(outcome.output.trimEnd());
  return readReport(reportFile, outcome, { mayBeEmpty: grep !== undefined });
}
