/** The suites that need no editor: one per folder of test/ that holds test files. */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { root } from "../paths.mjs";
import { setUpBrowser } from "../setup.mjs";
import { runMocha } from "./mochaSuite.mjs";

const testDir = path.join(root, "test");
const otherFolders = new Set(["host", "fixtures", "bench"]);
/** Only what hangs may fail by time: a busy machine takes many times as long as a quiet one. */
const unitTestTimeoutMs = 60_000;

/** Tests in a folder of this name show what they test in Chromium. */
const inBrowser = "test/*/browser/**/*.test.ts";

async function hasTests(folder) {
  const files = await readdir(path.join(testDir, folder), { recursive: true });
  return files.some((file) => file.endsWith(".test.ts"));
}

/**
 * @param {string | undefined} grep
 * @returns {Promise<import("./report.mjs").Suite[]>}
 */
export async function unitSuites(grep) {
  const entries = await readdir(testDir, { withFileTypes: true });
  const folders = entries
    .filter((entry) => entry.isDirectory() && !otherFolders.has(entry.name))
    .map(({ name }) => name);
  const suites = [];
  for (const folder of folders.sort()) {
    if (!(await hasTests(folder))) continue;
    suites.push({
      name: `test/${folder}`,
      part: "unit",
      run: () => runMocha(`test/${folder}/**/*.test.ts`, { grep, ignore: inBrowser, timeoutMs: unitTestTimeoutMs }),
    });
  }
  return suites;
}

/**
 * @param {string | undefined} grep
 * @returns {import("./report.mjs").Suite[]}
 */
export function browserSuites(grep) {
  const run = async () =>
    runMocha(inBrowser, { grep, timeoutMs: unitTestTimeoutMs, env: { ...process.env, ...(await setUpBrowser()) } });
  return [{ name: "test/*/browser (in Chromium)", part: "browser", run }];
}
