import type { Page } from "playwright-core";

/** Microseconds of script and layout for each of `count` steps, each in a frame of its own, less the frames' own. */
export async function perFrame(page: Page, count: number): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
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

/** Microseconds of script for each of `count` steps, without waiting for the browser to draw them. */
export function perScript(page: Page, count: number): Promise<number> {
  return page.evaluate((steps) => globalThis.bench.script(steps), count);
}

/** Runs in the page. */
export function installBench(kind: "post" | "plain"): void {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  let at = 0;

  function step(): void {
    const item = globalThis.bench.queue[at++] ?? "";
    if (kind === "post") window.dispatchEvent(new MessageEvent("message", { data: item }));
    else globalThis.bench.plain?.(item);
  }

  globalThis.bench = {
    queue: [],
    async idle(steps) {
      for (let index = 0; index < steps; index++) await frame();
    },
    async run(steps) {
      for (let index = 0; index < steps; index++) {
        step();
        await frame();
      }
      await frame();
    },
    async script(steps) {
      const real = globalThis.requestAnimationFrame;
      let due: FrameRequestCallback[] = [];
      globalThis.requestAnimationFrame = (callback) => due.push(callback);
      const from = performance.now();
      for (let index = 0; index < steps; index++) {
        step();
        const callbacks = due;
        due = [];
        for (const callback of callbacks) callback(0);
        // Components are drawn in a microtask.
        await null;
        await null;
      }
      const took = performance.now() - from;
      globalThis.requestAnimationFrame = real;
      return (took / steps) * 1_000;
    },
  };
}

declare global {
  /** In the page. */
  var bench: {
    queue: string[];
    idle(steps: number): Promise<void>;
    run(steps: number): Promise<void>;
    script(steps: number): Promise<number>;
    plain?(delta: string): void;
  };
}
