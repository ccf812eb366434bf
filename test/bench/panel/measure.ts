import type { Page } from "playwright-core";

/**
 * Microseconds of processor time in script and layout for each of `count` steps, each in a frame of its own, less the
 * frames' own. The browser draws as many frames as it can: 60 a second would measure how a processor wakes up.
 */
export async function perFrame(page: Page, count: number): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const idle = await spentIn(() => page.evaluate((steps) => globalThis.bench.idle(steps), count));
  const busy = await spentIn(() => page.evaluate((steps) => globalThis.bench.run(steps), count));
  await session.detach();
  return (Math.max(0, busy - idle) / count) * 1e6;

  async function spentIn(run: () => Promise<unknown>): Promise<number> {
    const before = await read();
    await run();
    return (await read()) - before;
  }

  async function read(): Promise<number> {
    const { metrics } = await session.send("Performance.getMetrics");
    const value = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
    return value("ScriptDuration") + value("LayoutDuration");
  }
}

/** Enough to know what a frame in which nothing happens takes. */
const idleFrames = 100;

/**
 * Microseconds of script for each step, the middle one of `rounds`. The page gives the thread back after each, so that
 * observers, microtasks and work for idle times count as well, wherever they run.
 */
export async function perScript(page: Page, { count, rounds }: { count: number; rounds: number }): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const scriptMs = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "ScriptDuration")?.value ?? 0) * 1e6;
  };
  const spentIn = async (run: () => Promise<unknown>) => {
    const before = await scriptMs();
    await run();
    return (await scriptMs()) - before;
  };
  const taken: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const idle = await spentIn(() => page.evaluate((steps) => globalThis.bench.idle(steps), idleFrames));
    const busy = await spentIn(() => page.evaluate((steps) => globalThis.bench.run(steps), count));
    taken.push(busy / count - idle / idleFrames);
  }
  await session.detach();
  // The first one warms up the compiler.
  const measured = taken.slice(1).toSorted((a, b) => a - b);
  return Math.max(0, measured[Math.floor(measured.length / 2)] ?? Number.NaN);
}

/** Runs in the page. Each step is a message, as it comes from the editor. */
export function installBench(): void {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  let at = 0;

  /** What the browser itself does for a message that comes is no script of the page. */
  function prepare(steps: number): (() => void)[] {
    const items = globalThis.bench.queue.slice(at, at + steps);
    at += steps;
    return items.map((item) => {
      const event = new MessageEvent("message", { data: item });
      return () => window.dispatchEvent(event);
    });
  }

  globalThis.bench = {
    queue: [],
    async idle(steps) {
      for (let index = 0; index < steps; index++) await frame();
    },
    async run(steps) {
      for (const step of prepare(steps)) {
        step();
        await frame();
      }
      await frame();
    },
  };
}

declare global {
  /** In the page. */
  var bench: {
    queue: string[];
    idle(steps: number): Promise<void>;
    run(steps: number): Promise<void>;
  };
}
