import type { Hold, Passage, Traffic } from "../../agent/providers/traffic.ts";

/** The clock that requests wait by. */
export interface TrafficClock {
  /** Milliseconds. */
  now(): number;
  /** Runs once after the delay unless the returned function is called before. */
  later(run: () => void, delayMs: number): () => void;
}

export const systemClock: TrafficClock = {
  now: () => Date.now(),
  later: (run, delayMs) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

interface Waiting {
  isAdmitted: boolean;
  wake(): void;
}

/** The provider asked everybody to wait; after that one request goes first, to see whether it may. */
interface Limit {
  until: number;
  reason: string;
  probe: Waiting | undefined;
}

/**
 * The requests to one provider, of all agents of all chats: at most `mostAtOnce()` of them under way, and none while
 * the provider wants a pause. When the pause is over, one request goes first; the others follow in their order once it
 * was answered.
 */
export function createTraffic(mostAtOnce: () => number, clock: TrafficClock = systemClock): Traffic {
  const line: Waiting[] = [];
  let underWay = 0;
  let limit: Limit | undefined;
  let cancelTimer: (() => void) | undefined;

  function admit(): void {
    while (underWay < mostAtOnce() && mayGo()) {
      const next = line.shift();
      if (next === undefined) return;
      if (limit !== undefined) limit.probe = next;
      underWay += 1;
      next.isAdmitted = true;
      next.wake();
    }
  }
  function mayGo(): boolean {
    if (limit === undefined) return true;
    return clock.now() >= limit.until && limit.probe === undefined;
  }
  function pause(delayMs: number, reason: string): void {
    const until = Math.max(limit?.until ?? 0, clock.now() + delayMs);
    limit = { until, reason, probe: undefined };
    goOnAt(until);
    // A longer wait is told to all who wait.
    for (const waiting of line) waiting.wake();
  }
  /** Timers run by a clock of their own and may come a moment early: then nobody else would wake who waits. */
  function goOnAt(until: number): void {
    cancelTimer?.();
    const left = until - clock.now();
    cancelTimer = left > 0 ? clock.later(() => goOnAt(until), left) : undefined;
    if (left <= 0) admit();
  }
  function holdOf(waiting: Waiting): Hold | undefined {
    if (waiting.isAdmitted) return undefined;
    if (limit === undefined) return {};
    const delayMs = limit.until - clock.now();
    return delayMs > 0 ? { delayMs, reason: limit.reason } : { reason: limit.reason };
  }

  return {
    enter(): Passage {
      let wakeUp: (() => void) | undefined;
      const own: Waiting = { isAdmitted: false, wake: () => wakeUp?.() };
      line.push(own);
      admit();
      return {
        get hold() {
          return holdOf(own);
        },
        changed: (signal) =>
          new Promise((resolve) => {
            const finish = (): void => {
              wakeUp = undefined;
              signal?.removeEventListener("abort", finish);
              resolve();
            };
            if (signal?.aborted) return resolve();
            signal?.addEventListener("abort", finish, { once: true });
            wakeUp = finish;
          }),
        answered() {
          // Who was sent before the pause says nothing about what comes after it.
          if (limit?.probe !== own) return;
          limit = undefined;
          admit();
        },
        limited: pause,
        leave() {
          const at = line.indexOf(own);
          if (at >= 0) line.splice(at, 1);
          if (own.isAdmitted) underWay -= 1;
          own.isAdmitted = false;
          // A probe that came to nothing leaves its place to the next.
          if (limit?.probe === own) limit.probe = undefined;
          admit();
        },
      };
    },
  };
}
