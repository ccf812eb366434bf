/**
 * One measured run in a process of its own: `node child.js <url> <scenario as JSON>` prints what it took as JSON. With
 * `first` as the third argument the process has no warm-up: it counts from its own start.
 */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { driver } from "bench-driver";
import type { Scenario } from "./scenarios.ts";

const [url = "", task = "{}", mode] = process.argv.slice(2);
// Written by run.mjs, which reads scenarios.ts.
const scenario = JSON.parse(task) as Pick<Scenario, "kind" | "width"> & { repeats: number };
const isAbort = scenario.kind === "abort" || scenario.kind === "abortTree";

const { run } = await driver.prepare(url);
if (mode !== "first") {
  // The first request loads what every later one needs; a user pays that once, not per turn.
  await run({ kind: "run", width: 1 });
  for (let left = scenario.repeats; left > 0; left--) {
    await ask("script");
    await run(scenario);
    if (isAbort) await ask("release");
  }
  await ask("script");
}
const stopProfile = process.env.BENCH_PROFILE === undefined ? undefined : await startProfile(process.env.BENCH_PROFILE);
const before = mode === "first" ? { user: 0, system: 0 } : process.cpuUsage();
// Of the process's clock, which begins where it starts.
const from = mode === "first" ? 0 : performance.now();
const seen = await run(scenario);
const wall = performance.now() - from;
const { user, system } = process.cpuUsage();
await stopProfile?.();
if (isAbort) {
  // The server now writes the rest to every stream that is still open; what comes of it would come within this time.
  await ask("release");
  await new Promise((resolve) => setTimeout(resolve, 50));
}
const { turns, settledAfter, ...work } = seen;
const measured = {
  cpu: (user + system - before.user - before.system) / 1000,
  wall: settledAfter ?? wall,
  rss: process.resourceUsage().maxRSS / 1024,
  growth: growth(turns),
  seen: work,
};
process.stdout.write(`${JSON.stringify(measured)}\n`, () => process.exit(0));

/** Has the process that started this one do something with the fake server. */
async function ask(what: "script" | "release"): Promise<void> {
  const done = once(process, "message");
  process.send?.(what);
  await done;
}

/** The profile holds the scenario alone, neither start nor warm-up. */
async function startProfile(path: string): Promise<() => Promise<void>> {
  const { Session } = await import("node:inspector/promises");
  const inspector = new Session();
  inspector.connect();
  await inspector.post("Profiler.enable");
  await inspector.post("Profiler.setSamplingInterval", { interval: 100 });
  await inspector.post("Profiler.start");
  return async () => {
    const { profile } = await inspector.post("Profiler.stop");
    await writeFile(path, JSON.stringify(profile));
  };
}

/** How much longer the last tenth of the turns took than the first. */
function growth(turns: readonly number[]): number | undefined {
  const tenth = Math.floor(turns.length / 10);
  if (tenth < 10) return undefined;
  const took = (start: number) => (turns[start + tenth] ?? 0) - (turns[start] ?? 0);
  return took(turns.length - 1 - tenth) / took(0);
}
