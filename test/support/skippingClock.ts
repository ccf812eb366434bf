import type { Timing } from "../../src/agent/providers/shared/retry.ts";
import type { RateLimiterClock } from "../../src/extension/models/limits/rateLimiter.ts";

/** A clock that skips all waiting: what is due later happens next, and the clock shows that it is later. */
export interface SkippingClock extends RateLimiterClock {
  readonly timing: Timing;
  /** The waits between attempts, in milliseconds. */
  readonly waits: number[];
  /** Ends the request under way as one that has been silent for too long. */
  idleAway(): void;
}

export function skippingClock(): SkippingClock {
  const waits: number[] = [];
  const idle = new Set<() => void>();
  let time = 1_000_000;

  function later(run: () => void, delayMs: number): () => void {
    const at = time + delayMs;
    const next = setImmediate(() => {
      time = Math.max(time, at);
      run();
    });
    return () => clearImmediate(next);
  }
  return {
    now: () => time,
    later,
    waits,
    idleAway: () => {
      for (const run of idle) run();
    },
    timing: {
      random: () => 0,
      wait: async (delayMs) => {
        waits.push(delayMs);
        time += delayMs;
      },
      idle: (run) => {
        idle.add(run);
        return { refresh: () => {}, stop: () => idle.delete(run) };
      },
    },
  };
}
