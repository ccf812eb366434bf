/** The suites that run in a real editor: mocha inside its extension host, and a browser that drives it as a user would. */
import { rmSync } from "node:fs";
import { mkdtemp, readdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { run } from "../command.mjs";
import { node24, root } from "../paths.mjs";
import { setUpEditorHost } from "../setup.mjs";
import { findTests, newReportFile, readReport, shardMocha } from "./mochaSuite.mjs";
import { offline } from "./offline.mjs";

const editorTestTimeoutMs = 120_000;

async function canDownloadEditor() {
  try {
    const signal = AbortSignal.timeout(5000);
    return (await fetch("https://update.code.visualstudio.com/api/releases/stable", { signal })).ok;
  } catch {
    return false;
  }
}

/** The editor to test in: the one that was named, else the newest desktop editor, else code-server. */
async function chooseEditor() {
  const named = process.env.VSCODE_EXECUTABLE_PATH;
  if (named) return { VSCODE_EXECUTABLE_PATH: named };
  // A desktop editor needs a display.
  const hasDisplay = process.platform !== "linux" || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  if (hasDisplay && (await canDownloadEditor())) return {};
  const host = await setUpEditorHost();
  return { ...host, VSCODE_EXECUTABLE_PATH: path.join(root, "test/host/code-host") };
}

/**
 * @param {string | undefined} grep
 * @param {string[]} [only] The test files to run. Default: all.
 */
async function runInsideEditor(grep, only) {
  const reportFile = newReportFile();
  const env = {
    ...process.env,
    ...(await chooseEditor()),
    ARBOR_TEST_REPORT: reportFile,
    ...(grep && { ARBOR_TEST_GREP: grep }),
    ...(only && { ARBOR_TEST_ONLY: only.map((file) => path.basename(file)).join() }),
  };
  const outcome = await run(node24, ["test/host/runInside.ts"], { env, live: true });
  const mayBeEmpty = grep !== undefined;
  const { failedFiles, passedElsewhere = 0, ...first } = await readReport(reportFile, outcome, { mayBeEmpty });
  if (first.failed === 0) return first;
  // As of the driven files: only those that failed, with nothing beside them.
  const retry = async () => {
    const { passed, failed, problem } = await runInsideEditor(grep, failedFiles);
    return { passed: passedElsewhere + passed, failed, problem };
  };
  return { ...first, retry };
}

/** They install the package; with `ARBOR_INSTALLED=1` all do. Nothing that is installed needs a network. */
const installing = ["custom", "firstRun"].map((name) => `test/host/ui/${name}.test.ts`);

/** They drive programs of others that are installed on demand. */
const onDemand = ["test/host/ui/mcpServer.test.ts"];

/** Packed once for all that install it. */
async function pack() {
  const out = await mkdtemp(path.join(os.tmpdir(), "arbor-package-"));
  process.once("exit", () => rmSync(out, { recursive: true, force: true }));
  const { code, output } = await run(process.execPath, ["scripts/package.mjs", "--out", out]);
  const name = (await readdir(out)).find((file) => file.endsWith(".vsix"));
  if (code !== 0 || name === undefined) throw new Error(`Nothing was packaged.\n${output}`);
  return path.join(out, name);
}

/** It plays round after round in one editor, as long as half of all others. */
const longest = ["test/host/ui/typing/typing.test.ts"];

/** So few that their files share editors, so many that the last ones are short. */
const maxShards = 10;

/** On two quiet cores with three lanes: of what takes longer than most, and of any other file. */
const usualSeconds = 55;
const longer = {
  ...{ crowd: 185, headless: 172, sandbox: 150, writing: 115, windows: 110, tour: 100, interruptedEdits: 95 },
  ...{ killedRuns: 75, smallest: 1 },
};
const secondsOf = (file) => longer[path.basename(file, ".test.ts")] ?? usualSeconds;

/** Files of one run share editors; what failed runs again in new ones. */
async function driveEditor(grep) {
  const isWanted = (file) => process.env.ARBOR_FOREIGN === "1" || !onDemand.includes(file);
  const others = (await findTests("test/host/ui")).filter(
    (file) => isWanted(file) && !longest.includes(file) && !installing.includes(file),
  );
  const isInstalled = process.env.ARBOR_INSTALLED === "1";
  const env = {
    ...process.env,
    ...(await setUpEditorHost()),
    ...(isInstalled && { ARBOR_PACKAGE: await pack() }),
  };
  const shard = (files, { needsNetwork = true, ...sharing } = {}) =>
    shardMocha(files, {
      placeOf: async () => (isInstalled || !needsNetwork ? offline() : undefined),
      ...{ ...sharing, grep, env, verbose: true, retries: true, timeoutMs: editorTestTimeoutMs },
    });
  // The longest first, so that the others are done beside it.
  return [
    ...shard(longest),
    ...shard(installing, { needsNetwork: false }),
    ...shard(others, { shards: maxShards, secondsOf }),
  ];
}

/**
 * @param {string | undefined} grep
 * @returns {import("./report.mjs").Suite[]}
 */
export function editorSuites(grep) {
  return [
    {
      name: "test/host/inside (in the extension host)",
      part: "host",
      run: () => runInsideEditor(grep),
    },
    { name: "test/host/ui (driven as by a user)", part: "ui", shards: () => driveEditor(grep) },
  ];
}
