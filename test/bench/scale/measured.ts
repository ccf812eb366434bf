import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { limitRow, type Row } from "../report.ts";

/** What a piece of work took of the host. */
export interface Taken {
  /** Events, files or megabytes: what there is ten times as much of in the larger case. */
  units: number;
  /** Of this process alone. */
  cpuMs: number;
  /** The longest that the event loop was held up, in time of the processor: the machine's other work is not ours. */
  heldMs: number;
  /** The same by the clock. */
  pauseMs: number;
  /** What stays in memory while its result does. */
  heapBytes: number;
}

/** `work` gives its result, which is what should stay in memory, and the count of its units. */
export async function measured(work: () => Promise<{ units: number; result: unknown }>): Promise<Taken> {
  const before = usedHeap();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const turns = watchTurns();
  const from = process.cpuUsage();
  const done = await work();
  const { user, system } = process.cpuUsage(from);
  // The histogram learns of a pause with the next turn of the loop.
  await new Promise((resolve) => setTimeout(resolve, 5));
  delay.disable();
  const heldMs = turns.end();
  const heapBytes = usedHeap() - before;
  // Held until here.
  if (done.result === undefined) throw new Error("The work has no result.");
  return { units: done.units, cpuMs: (user + system) / 1_000, heldMs, pauseMs: delay.max / 1e6, heapBytes };
}

/** What this thread has worked between two turns of the event loop, at most. */
function watchTurns(): { end(): number } {
  const spentMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let longest = 0;
  let last = spentMs();
  const timer = setInterval(() => {
    const now = spentMs();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  return {
    end() {
      clearInterval(timer);
      return longest;
    },
  };
}

let collectGarbage: (() => void) | undefined;

function usedHeap(): number {
  if (collectGarbage === undefined) {
    setFlagsFromString("--expose-gc");
    collectGarbage = runInNewContext("gc");
  }
  collectGarbage?.();
  return process.memoryUsage().heapUsed;
}

const maxPauseMs = 50;
/** Of what a unit takes in the large case by what it takes in the small one. */
const maxGrowth = 1.25;

interface Size {
  /** As the row names it: "100,000 events". */
  name: string;
  measure(): Promise<Taken>;
}

/**
 * Each size's time, memory and longest pause, and what a unit takes of the larger by what it takes of the smaller, which
 * would rise with anything that is not in proportion.
 */
export async function scaleRows(what: string, sizes: readonly [Size, Size], rounds: number): Promise<Row[]> {
  const taken = new Map<Size, Taken[]>(sizes.map((size) => [size, []]));
  // The compiler warms up by the small one.
  await sizes[0].measure();
  for (let round = 0; round < rounds; round++) for (const size of sizes) taken.get(size)?.push(await size.measure());
  const figures = (size: Size, figureOf: (one: Taken) => number) => (taken.get(size) ?? []).map(figureOf);
  const perUnit = (one: Taken) => (one.cpuMs * 1_000) / one.units;
  const heapPerUnit = (one: Taken) => one.heapBytes / one.units;
  const growth = (figureOf: (one: Taken) => number) => {
    const [small, large] = sizes.map((size) => figures(size, figureOf));
    return (large ?? []).map((value, round) => value / (small?.[round] ?? 0));
  };
  return [
    ...sizes.flatMap((size) => [
      limitRow(`${what}, ${size.name}: of the processor for each`, figures(size, perUnit), { unit: "µs" }),
      limitRow(`${what}, ${size.name}: memory for each`, figures(size, heapPerUnit), { unit: "bytes" }),
      limitRow(
        `${what}, ${size.name}: longest turn (cpu)`,
        figures(size, ({ heldMs }) => heldMs),
        { unit: "ms", goal: maxPauseMs },
      ),
      limitRow(
        `${what}, ${size.name}: longest pause (clock)`,
        figures(size, ({ pauseMs }) => pauseMs),
        { unit: "ms" },
      ),
    ]),
    limitRow(`${what}: time for each, large by small`, growth(perUnit), { unit: "×", goal: maxGrowth }),
  ];
}
