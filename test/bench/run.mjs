// Benchmarks: `npm run bench -- library [--runs 5] [--only <part of a name>] [--drivers floor,pi] [--profile arbor]`.
import { parseArgs } from "node:util";
import { runLibraryBench } from "./library/run.mjs";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "5" },
    only: { type: "string" },
    profile: { type: "string" },
    drivers: { type: "string" },
  },
});
const suites = { library: runLibraryBench };
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
});
