import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { buildDrivers, buildImports, hasPeers } from "./build.mjs";
import { scenarios } from "./scenarios.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const outdir = join(root, "out/bench");
const nodePath = process.execPath;

/** Runs the library scenarios and prints them as a table. `--profile <driver>` writes CPU profiles beside the builds. */
export async function runLibraryBench({ runs, only, profile, names, repeats }) {
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  writeFileSync(join(outdir, "package.json"), '{ "type": "module" }\n');
  const drivers = await buildDrivers(outdir, names);
  if (!hasPeers)
    console.log("The peer is left out. To compare with it: npm ci --prefix test/bench/peers --ignore-scripts\n");
  const server = await startServer();
  try {
    const chosen = scenarios.filter(({ name }) => only === undefined || name.includes(only));
    if (profile !== undefined) {
      for (const scenario of chosen) await profiled(server.url, { ...scenario, repeats }, drivers[profile]);
      return;
    }
    const rows = [];
    for (const scenario of chosen) rows.push(...(await compare(server.url, { ...scenario, repeats }, drivers, runs)));
    if (only === undefined || "cold import".includes(only)) rows.push(await coldImport(runs));
    console.log(table(rows, Object.keys(drivers)));
  } finally {
    server.stop();
  }
}

/** Interleaved, since a machine gets slower and faster while it measures. */
async function compare(url, scenario, drivers, runs) {
  const samples = Object.fromEntries(Object.keys(drivers).map((name) => [name, []]));
  for (let run = 0; run < runs; run++) {
    for (const [name, file] of Object.entries(drivers)) samples[name].push(await measure(url, scenario, file));
  }
  const metric = scenario.metric ?? "cpu";
  const row = (title, key, limits) => ({
    title,
    ...limits,
    unit: key === "rss" ? "MB" : key === "growth" ? "×" : "ms",
    values: Object.fromEntries(
      Object.entries(samples).map(([name, list]) => [name, median(list.map((one) => one[key]))]),
    ),
  });
  const rows = [row(`${scenario.name} (${metric})`, metric, { goal: scenario.goal, stretch: scenario.stretch })];
  if (scenario.name === scenarios[0].name) rows.push(row("peak memory of it", "rss", { goal: 1.05 }));
  if (samples.floor[0].growth !== undefined && scenario.name.startsWith("1,000")) {
    rows.push(row("last tenth of its turns over the first", "growth", { goal: 1 }));
  }
  const late = (samples.arbor ?? []).reduce((sum, one) => sum + (one.late ?? 0), 0);
  if (late > 0) rows.push({ title: `deltas after the abort had settled: ${late}`, unit: "", values: {} });
  return rows;
}

async function measure(url, scenario, file, env = process.env) {
  await post(`${url}/control/reset`, {});
  await post(`${url}/control/script`, [{ steps: [{ text: "Warm.", chunk: 2 }] }]);
  const { kind, width, expected, script, repeats } = scenario;
  const task = JSON.stringify({ kind, width, expected, repeats });
  const child = fork(file, [url, task], { env, silent: true });
  let output = "";
  let errors = "";
  child.stdout.on("data", (text) => (output += text));
  child.stderr.on("data", (text) => (errors += text));
  child.on("message", async () => {
    await post(`${url}/control/reset`, {});
    await post(`${url}/control/script`, script);
    child.send("go");
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${scenario.name} failed in ${file}:\n${errors}`);
  return JSON.parse(output);
}

async function profiled(url, scenario, file) {
  const path = join(outdir, `${scenario.name.replaceAll(/\W+/g, "-")}.cpuprofile`);
  await measure(url, scenario, file, { ...process.env, BENCH_PROFILE: path });
  console.log(path);
}

/** Time to import, in a process of its own each time, next to zod alone, which every schema needs. */
async function coldImport(runs) {
  const files = await buildImports(join(outdir, "imports"));
  const samples = { zod: [], library: [] };
  for (let run = 0; run < runs; run++) {
    for (const [name, file] of Object.entries(files)) {
      const code = `const from = performance.now(); await import(${JSON.stringify(file)}); console.log(performance.now() - from)`;
      const output = execFileSync(nodePath, ["--input-type=module", "--eval", code], { encoding: "utf8" });
      samples[name].push(Number(output));
    }
  }
  const [zod, library] = [median(samples.zod), median(samples.library)];
  const title = `cold import: ${library.toFixed(1)} ms, zod alone ${zod.toFixed(1)} ms, goal at most 3 ms more`;
  return { title, unit: "ms", values: {}, over: library - zod };
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

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function table(rows, names) {
  const peers = names.filter((name) => name !== "floor");
  const head = ["scenario", "SDK alone", ...peers, "goal", "stretch", ""];
  const lines = rows.map(({ title, unit, values, goal, stretch, over }) => {
    const floor = values.floor;
    const cell = (value) =>
      value === undefined || floor === undefined ? "" : `${(value / floor).toFixed(2)} (${round(value)} ${unit})`;
    const met = over === undefined ? values.arbor / floor <= goal : over <= 3;
    const verdict = over === undefined && values.arbor === undefined ? "" : met ? "met" : "MISSED";
    return [
      title,
      floor === undefined ? "" : `${round(floor)} ${unit}`,
      ...peers.map((name) => cell(values[name])),
      goal ?? "",
      stretch ?? "",
      verdict,
    ];
  });
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function round(value) {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}
