import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { builtFolder, limitRow, ratioRow } from "../report.ts";
import { buildDrivers, buildImports, missingPeers } from "./build.mjs";
import { faultsOf } from "./checks.ts";
import { firstAnswer, restGate, scenarios } from "./scenarios.ts";

const outdir = join(builtFolder, "library");
const imports = join(builtFolder, "imports");
const nodePath = process.execPath;

export const libraryRows = [
  ...[...scenarios, firstAnswer].map((scenario) => ({
    name: scenario.name,
    measure: (options) => measureScenario(scenario, options),
  })),
  { name: "cold import of the library", measure: ({ runs }) => coldImport(runs) },
];

/** `--profile <driver>` writes CPU profiles beside the builds instead. */
async function measureScenario(scenario, { runs, profile, names, repeats }) {
  const drivers = await builtOnce(outdir, () => buildDrivers(outdir, names));
  if (missingPeers.length > 0 && scenario === scenarios[0]) {
    const install = "npm ci --prefix test/bench/peers --ignore-scripts";
    console.log(`Left out: ${missingPeers.join(", ")}. To compare with them: ${install}\n`);
  }
  const server = await startServer();
  try {
    if (profile !== undefined) {
      await profiled(server.url, { ...scenario, repeats }, drivers[profile]);
      return [];
    }
    const mode = scenario === firstAnswer ? "first" : undefined;
    return await compare(server.url, mode === undefined ? { ...scenario, repeats } : scenario, drivers, { runs, mode });
  } finally {
    server.stop();
  }
}

/** The rows of a run share what the first of them built. */
async function builtOnce(folder, make) {
  const list = join(folder, "built.json");
  if (existsSync(list)) return JSON.parse(readFileSync(list, "utf8"));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  const built = await make();
  writeFileSync(list, JSON.stringify(built));
  return built;
}

/** Interleaved, since a machine gets slower and faster while it measures. */
async function compare(url, scenario, drivers, { runs, mode }) {
  const samples = Object.fromEntries(Object.keys(drivers).map((name) => [name, []]));
  for (let run = 0; run < runs; run++) {
    // By turns in the other direction, so that none is always after the same one.
    const order = Object.entries(drivers);
    for (const [name, file] of run % 2 === 0 ? order : order.reverse()) {
      const isPeer = name !== "floor" && name !== "arbor";
      const sample = measure(url, scenario, { file, mode });
      samples[name].push(await (isPeer ? sample.catch(failedPeer) : sample));
    }
  }
  const metric = scenario.metric ?? "cpu";
  const row = (title, key, { unit = "ms", goal } = {}) => {
    const values = Object.entries(samples).map(([name, list]) => [name, list.map((one) => one[key])]);
    return ratioRow(title, Object.fromEntries(values), { unit, goal });
  };
  const rows = [row(`${scenario.name} (${metric})`, metric, { goal: scenario.goal })];
  if (mode === "first") rows.push(row("the same (wall)", "wall"));
  if (metric === "wall") rows.push(row("the same (cpu, from the first request on)", "cpu"));
  if (scenario.name === scenarios[0].name) rows.push(row("peak memory of it", "rss", { unit: "MB", goal: 1 }));
  if (scenario.name.startsWith("1,000")) {
    rows.push(row("last tenth of its turns over the first", "growth", { unit: "×", goal: 1 }));
    rows.push(row("characters of its requests", "characters", { unit: "M", goal: 1 }));
  }
  return rows;
}

/** A peer that does not do the work has no figure; the others have theirs. */
function failedPeer(error) {
  console.error(error.message);
  return {};
}

async function measure(url, scenario, { file, mode, env = process.env }) {
  const { kind, width, script, repeats = 0 } = scenario;
  await post(`${url}/control/reset`, {});
  const warm = [{ steps: [{ text: "Warm.", chunk: 2 }] }];
  await post(`${url}/control/script`, mode === "first" ? script : warm);
  const child = fork(file, [url, JSON.stringify({ kind, width, repeats }), ...(mode === undefined ? [] : [mode])], {
    env,
    silent: true,
  });
  let output = "";
  let errors = "";
  child.stdout.on("data", (text) => (output += text));
  child.stderr.on("data", (text) => (errors += text));
  child.on("message", async (asked) => {
    if (asked === "script") {
      await post(`${url}/control/reset`, {});
      await post(`${url}/control/script`, script);
    } else await post(`${url}/control/release`, { gate: restGate });
    child.send("done");
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${scenario.name} failed in ${file}:\n${errors}`);
  const { seen, ...measured } = JSON.parse(output);
  const served = await (await fetch(`${url}/control/summary`)).json();
  const faults = faultsOf(scenario, seen, served);
  if (faults.length > 0) throw new Error(`${scenario.name} in ${file} is not the work asked for: ${faults.join("; ")}`);
  return { ...measured, characters: served.characters / 1e6 };
}

async function profiled(url, scenario, file) {
  const path = join(builtFolder, `${scenario.name.replaceAll(/\W+/g, "-")}.cpuprofile`);
  await measure(url, scenario, { file, env: { ...process.env, BENCH_PROFILE: path } });
  console.log(path);
}

/** Time to import, in a process of its own each time, next to what the library uses of zod. */
async function coldImport(runs) {
  const files = await builtOnce(imports, () => buildImports(imports));
  const samples = { zod: [], library: [] };
  for (let run = 0; run < runs; run++) {
    for (const [name, file] of Object.entries(files)) {
      const code = `const from = process.cpuUsage(); await import(${JSON.stringify(file)}); const { user, system } = process.cpuUsage(from); console.log((user + system) / 1000)`;
      const output = execFileSync(nodePath, ["--input-type=module", "--eval", code], { encoding: "utf8" });
      samples[name].push(Number(output));
    }
  }
  const beyond = samples.library.map((ms, run) => ms - samples.zod[run]);
  return [
    limitRow("cold import (cpu)", samples.library, { unit: "ms" }),
    limitRow("the same beyond what it names of zod", beyond, { unit: "ms", goal: 3 }),
  ];
}

async function startServer() {
  const main = fileURLToPath(new URL("../../support/fakeProvider/main.ts", import.meta.url));
  const child = fork(main, ["--port", "0"], { silent: true, execArgv: ["--disable-warning=ExperimentalWarning"] });
  const [url] = await once(createInterface(child.stdout), "line");
  return { url, stop: () => child.kill() };
}

async function post(url, body) {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
}
