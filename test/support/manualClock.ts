import type { Timing } from "../../src/agent/providers/shared/retry.ts";
import type { RateLimiterClock } from "../../src/extension/models/limits/rateLimiter.ts";

/** A clock that is still until a test moves it. */
export interface ManualClock extends RateLimiterClock {
  /** Time between attempts as this clock has it; requests never idle away. */
  readonly timing: Timing;
  /** Moves on, and lets what was due happen and settle. */
  pass(ms: number): Promise<void>;
  /** When the next timer is due, in milliseconds from now; undefined without one. */
  nextDue(): number | undefined;
}

export function manualClock(): ManualClock {
  const timers = new Set<{ at: number; run: () => void }>();
  let time = 1_000_000;

  function later(run: () => void, delayMs: number): () => void {
    const timer = { at: time + delayMs, run };
    timers.add(timer);
    return () => timers.delete(timer);
  }
  function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const cancel = later(finish, delayMs);
      function finish(): void {
        cancel();
        signal?.removeEventListener("abort", finish);
        resolve();
      }
      signal?.addEventListener("abort", finish, { once: true });
    });
  }
  const dueFirst = () => [...timers].sort((a, b) => a.at - b.at)[0];

  return {
    now: () => time,
    later,
    timing: { wait, random: () => 0, idle: () => ({ refresh: () => {}, stop: () => {} }) },
    async pass(ms) {
      const end = time + ms;
      for (let due = dueFirst(); due !== undefined && due.at <= end; due = dueFirst()) {
        time = due.at;
        timers.delete(due);
        due.run();
        await settled();
      }
      time = end;
      await settled();
    },
    nextDue: () => {
      const due = dueFirst();
      return due === undefined ? undefined : due.at - time;
    },
  };
}

/** Lets promises that wait for nothing else run on. */
async function settled(): Promise<void> {
  for (let step = 0; step < 5; step++) await new Promise((resolve) => setImmediate(resolve));
}
