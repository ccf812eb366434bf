// Benchmarks: `npm run bench -- library [--runs 5] [--only <part of a name>] [--drivers floor,pi] [--repeats 0]
// [--profile arbor]`. Repeats are run first in the same process, as in a host that has been up for a while.
// `npm run bench -- search [--runs 5] [--only <part of a name>]`, and likewise `panel`. `npm run bench -- wire` measures
// what of the requests comes from the cache of a provider.
import { parseArgs } from "node:util";
import { runLibraryBench } from "./library/run.mjs";
import { runPanelBench } from "./panel/run.mjs";
import { runSearchBench } from "./search/run.mjs";
import { runWireBench } from "./wire/run.mjs";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "5" },
    only: { type: "string" },
    profile: { type: "string" },
    drivers: { type: "string" },
    repeats: { type: "string", default: "0" },
  },
});
const suites = { library: runLibraryBench, search: runSearchBench, panel: runPanelBench, wire: runWireBench };
const suite = suites[positionals[0] ?? "library"];
if (suite === undefined) {
  console.error(`There is no benchmark "${positionals[0]}". There are: ${Object.keys(suites).join(", ")}.`);
  process.exit(1);
}
await suite({
  runs: Number(values.runs),
  only: values.only,
  profile: values.profile,
  names: values.drivers?.split(","),
  repeats: Number(values.repeats),
});
