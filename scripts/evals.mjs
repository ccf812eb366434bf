/** `npm run evals`: gives a model small tasks through Arbor's own agents, without an editor (docs/evals.md). */
import { writeFileSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { comparisonTable, parseResults, resultsTable } from "../test/evals/results.ts";
import { environmentModels, refuseUnreachable, runEvals, settingsOf } from "../test/evals/runEvals.ts";
import { allTasks, selectTasks } from "../test/evals/tasks/index.ts";
import { runScript } from "./commandLine.mjs";
import { evalsDir } from "./paths.mjs";

const usage = `npm run evals -- --model PROVIDER/MODEL [OPTION]...
  --tasks ID,ID           only these; --list shows all
  --repeat N              each task N times (1)
  --lanes N               N tasks at once (2)
  --sub-agent-model NAME  another model for sub-agents
  --key-env NAME          the environment variable with the key
                          (ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENROUTER_API_KEY, by the provider)
  --base-url URL          a gateway in place of the provider's address
  --wire WIRE             of another provider: anthropic, openai or openai-chat
  --max-cost USD          of one task; where it is reached, the task has failed (1)
  --timeout SECONDS       of one task (600)
npm run evals -- --compare A.json B.json
npm run evals -- --list`;

const options = {
  model: { type: "string" },
  tasks: { type: "string", default: "" },
  repeat: { type: "string", default: "1" },
  lanes: { type: "string", default: "2" },
  "sub-agent-model": { type: "string" },
  "key-env": { type: "string" },
  "base-url": { type: "string" },
  wire: { type: "string" },
  "max-cost": { type: "string", default: "1" },
  timeout: { type: "string", default: "600" },
  compare: { type: "boolean" },
  list: { type: "boolean" },
  help: { type: "boolean" },
};

function readArguments() {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const { model, help = false, compare = false, list = false } = values;
  if (compare && positionals.length !== 2) throw new Error("--compare takes two files.");
  if (!compare && positionals.length > 0) throw new Error(`"${positionals[0]}" is not expected.`);
  if (!help && !compare && !list && model === undefined) throw new Error("Name a model with --model.");
  return {
    ...{ help, compare, list, files: positionals },
    tasks: selectTasks(values.tasks.split(",").filter((id) => id !== "")),
    repeat: numberOf("repeat", values, Number.isInteger),
    lanes: numberOf("lanes", values, Number.isInteger),
    maxMs: numberOf("timeout", values) * 1_000,
    reach: {
      ...{ model, wire: values.wire, baseUrl: values["base-url"], keyEnv: values["key-env"] },
      ...{ subAgentModel: values["sub-agent-model"], maxCost: numberOf("max-cost", values) },
    },
  };
}

function numberOf(name, values, isRight = Number.isFinite) {
  const value = Number(values[name]);
  if (!isRight(value) || value <= 0) throw new Error(`--${name} takes a number above 0.`);
  return value;
}

async function main({ compare, list, files, tasks, reach, ...run }) {
  if (list) {
    for (const { id, shows } of allTasks) console.log(`${id.padEnd(24)}${shows}`);
    return 0;
  }
  if (compare) {
    const [one, other] = await Promise.all(files.map(async (file) => parseResults(await readFile(file, "utf8"), file)));
    console.log(comparisonTable(one, other));
    return 0;
  }
  const settings = settingsOf(reach);
  await refuseUnreachable(settings, process.env);
  console.log(
    "Commands that the model asks for run on this machine, as you. Use a container for a model you don't trust.\n",
  );
  await mkdir(evalsDir, { recursive: true });
  const name = `${new Date().toISOString().replaceAll(/[:.]/g, "-")}-${reach.model.replaceAll(/[^\w.-]+/g, "-")}.json`;
  const file = path.join(evalsDir, name);
  const results = await runEvals({
    ...{ tasks, settings, ...run },
    models: environmentModels(process.env),
    onOutcome: ({ task, passed, seconds }, soFar) => {
      console.log(`${passed ? "passed" : "failed"}  ${task} (${seconds.toFixed(0)} s)`);
      // A run that is interrupted has cost something, too.
      writeFileSync(file, `${JSON.stringify(soFar, undefined, 2)}\n`);
    },
  });
  console.log(`\n${resultsTable(results)}\n\n${path.relative(process.cwd(), file)}`);
  return results.outcomes.every(({ passed }) => passed) ? 0 : 1;
}

await runScript({ usage, readArguments, main });
