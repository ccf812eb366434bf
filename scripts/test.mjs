/** `npm test`: every check and every suite, fast ones first. */
import { parseArgs } from "node:util";
import { run } from "./command.mjs";
import { runScript } from "./commandLine.mjs";
import { root } from "./paths.mjs";
import { setUpPackages } from "./setup.mjs";
import { checkSuites } from "./test/checks.mjs";
import { editorSuites } from "./test/editor.mjs";
import { printSlowest, printSummary, runSuites } from "./test/report.mjs";
import { chooseScale } from "./test/scale.mjs";
import { browserSuites, unitSuites } from "./test/units.mjs";

const parts = ["checks", "unit", "browser", "build", "host", "ui"];
const usage = `npm test                      every part, without what repeats a test at full scale
npm test -- all               that too
npm test -- PART...           some of: ${parts.join(", ")}
npm test -- PART --grep TEXT  of those, the tests whose name matches TEXT
npm test -- --lanes N         N suites side by side instead of one more than cores
npm test -- --slow            names the slowest tests of each suite at the end`;

function readArguments() {
  const options = {
    grep: { type: "string" },
    lanes: { type: "string" },
    slow: { type: "boolean" },
    help: { type: "boolean" },
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const named = positionals.filter((part) => part !== "all");
  const unknown = named.find((part) => !parts.includes(part));
  if (unknown) throw new Error(`There is no part "${unknown}".`);
  const lanes = values.lanes === undefined ? undefined : Number(values.lanes);
  if (lanes !== undefined && !(Number.isInteger(lanes) && lanes > 0))
    throw new Error("--lanes is a whole number above 0.");
  return {
    grep: values.grep,
    lanes,
    slow: values.slow === true,
    help: values.help === true,
    isAll: positionals.includes("all"),
    wanted: new Set(named.length > 0 ? named : parts),
  };
}

const build = {
  name: "build",
  part: "build",
  // An editor runs what was built.
  first: true,
  async run() {
    const { code, output } = await run(process.execPath, ["esbuild.mjs"], { cwd: root });
    return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, problem: output };
  },
};

/** @returns {Promise<number>} how many tests failed */
async function runParts({ grep, lanes, slow, isAll, wanted }) {
  const { note } = chooseScale(isAll, wanted);
  if (wanted.has("host") || wanted.has("ui")) wanted.add("build");
  await setUpPackages();
  const startedAt = performance.now();
  const suites = [build, ...checkSuites(), ...(await unitSuites(grep)), ...browserSuites(grep), ...editorSuites(grep)];
  const rows = await runSuites(
    suites.filter(({ part }) => wanted.has(part)),
    lanes,
  );
  if (slow) printSlowest(rows);
  if (note !== undefined) console.log(note);
  return printSummary(rows, (performance.now() - startedAt) / 1000);
}

async function main(chosen) {
  try {
    return (await runParts(chosen)) > 0 ? 1 : 0;
  } catch (error) {
    // The last line says the outcome, also of a run that came to no test.
    console.log("0 passed, 1 failed");
    throw error;
  }
}

await runScript({ usage, readArguments, main });
