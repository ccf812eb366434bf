/** The suites that need no editor: one per folder of test/ that holds test files. */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { root } from "../paths.mjs";
import { setUpBrowser } from "../setup.mjs";
import { findTests, shardMocha } from "./mochaSuite.mjs";

const testDir = path.join(root, "test");
const otherFolders = new Set(["host", "fixtures"]);
/** Only what hangs may fail by time: a busy machine takes many times as long as a quiet one. */
const unitTestTimeoutMs = 60_000;

/** Tests in a folder of this name show what they test in Chromium. */
const isInBrowser = (file) => /^test\/[^/]+\/browser\//.test(file);

/** Suites that take so long that cores share them. */
const shardsOf = { extension: 4 };

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
    const files = await findTests(`test/${folder}`, (file) => !isInBrowser(file));
    if (files.length === 0) continue;
    const shards = async () => shardMocha(files, { grep, shards: shardsOf[folder], timeoutMs: unitTestTimeoutMs });
    suites.push({ name: `test/${folder}`, part: "unit", shards });
  }
  return suites;
}

/**
 * @param {string | undefined} grep
 * @returns {import("./report.mjs").Suite[]}
 */
export function browserSuites(grep) {
  const shards = async () => {
    const env = { ...process.env, ...(await setUpBrowser()) };
    const files = await findTests("test", isInBrowser);
    return shardMocha(files, { grep, shards: 4, retries: true, timeoutMs: unitTestTimeoutMs, env });
  };
  return [{ name: "test/*/browser (in Chromium)", part: "browser", shards }];
}
