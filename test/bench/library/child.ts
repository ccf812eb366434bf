/** One measured run in a process of its own: `node child.js <url> <scenario as JSON>` prints what it took as JSON. */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { driver } from "bench-driver";
import type { Scenario } from "./scenarios.ts";

const [url = "", task = "{}"] = process.argv.slice(2);
// Written by run.mjs, which reads scenarios.ts.
const scenario = JSON.parse(task) as Pick<Scenario, "kind" | "width" | "expected"> & { repeats: number };

const inspector = new Session();
const { run } = await driver.prepare(url);
// The first request loads what every later one needs; a user pays that once, not per turn.
await run({ kind: "run", width: 1 });
for (let left = scenario.repeats; left > 0; left--) {
  await script();
  await run(scenario);
}
await script();
process.disconnect();

const profile = process.env.BENCH_PROFILE;
if (profile !== undefined) await startProfile();
const cpu = process.cpuUsage();
const from = performance.now();
const seen = await run(scenario);
const wall = performance.now() - from;
const { user, system } = process.cpuUsage(cpu);
if (profile !== undefined) await writeProfile(profile);
const { deltas, calls } = scenario.expected;
if (seen.deltas < deltas || seen.calls < calls) {
  throw new Error(`Saw ${seen.deltas} deltas and ${seen.calls} calls instead of ${deltas} and ${calls}.`);
}
const measured = {
  cpu: (user + system) / 1000,
  wall: seen.settledAfter ?? wall,
  rss: process.resourceUsage().maxRSS / 1024,
  growth: growth(seen.turns),
  late: seen.late,
};
process.stdout.write(`${JSON.stringify(measured)}\n`, () => process.exit(0));

/** Has the fake server told what to say to the next run. */
async function script(): Promise<void> {
  const scripted = once(process, "message");
  process.send?.("script");
  await scripted;
}

/** The profile holds the scenario alone, neither start nor warm-up. */
async function startProfile(): Promise<void> {
  inspector.connect();
  await inspector.post("Profiler.enable");
  await inspector.post("Profiler.setSamplingInterval", { interval: 200 });
  await inspector.post("Profiler.start");
}

async function writeProfile(path: string): Promise<void> {
  const { profile: recorded } = await inspector.post("Profiler.stop");
  await writeFile(path, JSON.stringify(recorded));
}

/** How much longer the last tenth of the turns took than the first. */
function growth(turns: readonly number[]): number | undefined {
  const tenth = Math.floor(turns.length / 10);
  if (tenth < 10) return undefined;
  const took = (start: number) => (turns[start + tenth] ?? 0) - (turns[start] ?? 0);
  return took(turns.length - 1 - tenth) / took(0);
}
