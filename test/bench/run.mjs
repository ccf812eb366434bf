// Benchmarks: `npm run bench [-- <suite>...] [--rows <part of a name>] [--runs 5] [--list] [--write]`. Each row is measured in a
// process of its own: one that fails or does not end is reported, and the others go on. Of the library also `[--drivers
// floor,pi] [--repeats 0] [--profile arbor]`; repeats are run first in the same process, as in a host that has been up for a
// while. A run of all rows is kept in out/bench; `--write` puts the last three of them into docs/performance.md.
import { fork } from "node:child_process";
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { editorRows } from "./editor/run.mjs";
import { keepRun, writeDocs } from "./figures.ts";
import { libraryRows } from "./library/run.mjs";
import { panelRows } from "./panel/run.mjs";
import { builtFolder, machineLoad, table } from "./report.ts";
import { scaleRows } from "./scale/run.mjs";
import { searchRows } from "./search/run.mjs";
import { wireRows } from "./wire/run.mjs";

const suites = {
  ...{ library: libraryRows, panel: panelRows, search: searchRows, scale: scaleRows, wire: wireRows },
  editor: editorRows,
};
/** A row that takes longer has been stuck. */
const maxRowMs = 300_000;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "5" },
    rows: { type: "string", default: "" },
    profile: { type: "string" },
    drivers: { type: "string" },
    repeats: { type: "string", default: "0" },
    list: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    /** What the process of one row is started with. */
    row: { type: "string" },
  },
});
const options = {
  runs: Number(values.runs),
  profile: values.profile,
  names: values.drivers?.split(","),
  repeats: Number(values.repeats),
};

const unknown = positionals.find((name) => !Object.hasOwn(suites, name));
if (unknown !== undefined) {
  console.error(`There is no benchmark "${unknown}". There are: ${Object.keys(suites).join(", ")}.`);
  process.exitCode = 1;
} else if (values.row !== undefined) {
  const row = suites[positionals[0]].find(({ name }) => name === values.row);
  process.send(await row.measure(options), () => process.exit(0));
} else {
  await measureAll();
}

async function measureAll() {
  const chosen = Object.entries(suites).flatMap(([suite, rows]) => {
    const isChosen = positionals.length === 0 || positionals.includes(suite);
    return isChosen ? rows.filter(({ name }) => name.includes(values.rows)).map(({ name }) => ({ suite, name })) : [];
  });
  if (values.list) {
    for (const { suite, name } of chosen) console.log(`${suite}: ${name}`);
    return;
  }
  rmSync(builtFolder, { recursive: true, force: true });
  const before = machineLoad();
  console.log(`${values.runs} rounds by turns, the middle one of each; ${before}`);
  const measured = {};
  for (const { suite, name } of chosen) {
    const from = performance.now();
    const rows = await measureApart(suite, name);
    measured[suite] = [...(measured[suite] ?? []), ...rows];
    console.log(`${((performance.now() - from) / 1_000).toFixed(0).padStart(4)} s  ${suite}: ${name}`);
  }
  for (const [suite, rows] of Object.entries(measured)) console.log(`\n${suite}\n\n${table(rows)}`);
  const after = machineLoad();
  console.log(`\nAt the end: ${after}`);
  const isWhole = positionals.length === 0 && values.rows === "" && values.drivers === undefined;
  if (isWhole) keepRun({ before, after, measured });
  if (values.write) writeDocs();
  if (Object.values(measured).some((rows) => rows.some(({ failed }) => failed !== undefined))) process.exitCode = 1;
}

/** The rows of the table that one measurement gives, or the one that says why there are none. */
function measureApart(suite, name) {
  const own = process.argv.slice(2).filter((argument) => !positionals.includes(argument));
  const child = fork(import.meta.filename, [suite, ...own, "--row", name], {
    stdio: ["ignore", "inherit", "pipe", "ipc"],
  });
  return new Promise((resolve) => {
    let rows;
    let errors = "";
    let isLate = false;
    // Its server, browser and search end with the pipe to it, or by their own limits.
    const timer = setTimeout(() => {
      isLate = true;
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), 2_000).unref();
    }, maxRowMs);
    child.stderr.on("data", (text) => (errors += text));
    child.on("message", (result) => (rows = result));
    child.on("close", (code) => {
      clearTimeout(timer);
      if (rows !== undefined) return resolve(rows);
      const reason = isLate ? `not done after ${maxRowMs / 1_000} s` : (causeIn(errors) ?? `ended with ${code}`);
      console.error(errors);
      resolve([{ title: name, failed: reason }]);
    });
  });
}

/** The line of an uncaught error that says what it is about. */
function causeIn(errors) {
  return errors
    .split("\n")
    .find((line) => /^(?:[A-Z]\w*(?: \[\w+\])?|page\.\w+): /.test(line))
    ?.trim()
    .slice(0, 200);
}
