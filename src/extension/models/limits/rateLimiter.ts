import {
  type Hold,
  limitsEverybody,
  type Permit,
  type RateLimiter,
  whileHeld,
} from "../../../agent/providers/shared/rateLimiter.ts";
import { startTimer } from "../../../agent/vocabulary/abort.ts";
import type { ErrorFacts } from "../../../agent/vocabulary/errors.ts";
import type { StreamFn } from "../../../agent/vocabulary/model.ts";
import { onAbort } from "../../common/abort.ts";
import type { ModelsSettings } from "../providerSettings.ts";

/** The clock that requests wait by. */
export interface RateLimiterClock {
  /** Milliseconds. */
  now(): number;
  /** Runs once after the delay unless the returned function is called before. */
  later(run: () => void, delayMs: number): () => void;
}

const systemClock: RateLimiterClock = {
  now: () => Date.now(),
  later: (run, delayMs) => startTimer(delayMs, run),
};

interface Waiting {
  isAdmitted: boolean;
  wake(): void;
}

/** The provider asked everybody to wait; after that one request goes first, to see whether it may. */
interface Limit {
  until: number;
  reason: string;
  facts: ErrorFacts | undefined;
  probe: Waiting | undefined;
}

/**
 * How long the others wait for the one that goes first, in milliseconds. A provider that still wants fewer requests
 * says so at once; one that is silent has taken the request, or would be as silent to the others.
 */
const probePatienceMs = 10_000;

/**
 * The requests to one provider, of all agents of all chats: at most `maxParallel()` of them under way, and none while
 * the provider wants a pause. When the pause is over, one request goes first; the others follow in their order once it
 * was answered, or when it has gone without an answer for a while.
 */
export function createRateLimiter(maxParallel: () => number, clock: RateLimiterClock = systemClock): RateLimiter {
  const line: Waiting[] = [];
  let underWay = 0;
  let limit: Limit | undefined;
  let cancelTimer: (() => void) | undefined;

  function admit(): void {
    while (underWay < maxParallel() && mayGo()) {
      const next = line.shift();
      if (next === undefined) return;
      if (limit !== undefined) goAhead(limit, next);
      underWay += 1;
      next.isAdmitted = true;
      next.wake();
    }
  }
  function goAhead(pausedBy: Limit, probe: Waiting): void {
    pausedBy.probe = probe;
    cancelTimer?.();
    cancelTimer = clock.later(() => over(probe), probePatienceMs);
  }
  /** Who was sent before the pause, or in place of another, says nothing about what comes after it. */
  function over(probe: Waiting): void {
    if (limit?.probe !== probe) return;
    cancelTimer?.();
    limit = undefined;
    admit();
  }
  function mayGo(): boolean {
    if (limit === undefined) return true;
    return clock.now() >= limit.until && limit.probe === undefined;
  }
  function pause(delayMs: number, reason: string, facts?: ErrorFacts): void {
    const until = Math.max(limit?.until ?? 0, clock.now() + delayMs);
    limit = { until, reason, facts, probe: undefined };
    goOnAt(until);
    // A longer wait is reported to all who wait.
    for (const waiting of line) waiting.wake();
  }
  /** Timers run by a clock of their own and may come a moment early: then nothing else would wake who waits. */
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
    const { reason, facts } = limit;
    return { reason, ...(facts && { facts }), ...(delayMs > 0 && { delayMs }) };
  }

  return {
    acquire(): Permit {
      let wakeUp: (() => void) | undefined;
      const own: Waiting = { isAdmitted: false, wake: () => wakeUp?.() };
      line.push(own);
      admit();
      return {
        get hold() {
          return holdOf(own);
        },
        async changed(signal) {
          const { promise, resolve } = Promise.withResolvers<void>();
          wakeUp = resolve;
          const listening = signal && onAbort(signal, resolve);
          await promise;
          wakeUp = undefined;
          listening?.dispose();
        },
        answered: () => over(own),
        limited: pause,
        release() {
          const at = line.indexOf(own);
          if (at >= 0) line.splice(at, 1);
          if (own.isAdmitted) underWay -= 1;
          own.isAdmitted = false;
          // A probe that came to nothing leaves its place to the next.
          if (limit?.probe === own) {
            cancelTimer?.();
            limit.probe = undefined;
          }
          admit();
        },
      };
    },
  };
}

/** After this long a model that has asked for a pause, without saying for how long, is asked again. */
const pauseMs = 5_000;

/** Limits a stream that knows no rate limiter of its own. Each request is sent once. */
export function rateLimited(stream: StreamFn, limiter: RateLimiter): StreamFn {
  return async function* passing(model, request, options) {
    const permit = limiter.acquire();
    try {
      yield* whileHeld(permit, 0, options.signal);
      // Aborted while waiting: the stream itself says so, it asks nothing with a dead signal.
      for await (const event of stream(model, request, options)) {
        if (event.type === "error" && limitsEverybody(event.message.errorKind)) {
          permit.limited(pauseMs, event.message.errorMessage ?? "", event.message.errorFacts);
        } else if (event.type !== "start" && event.type !== "error") permit.answered();
        yield event;
      }
    } finally {
      permit.release();
    }
  };
}

/**
 * One rate limiter per provider, however many agents and chats use it, so that one provider's pause or queue does not
 * delay requests to another. A change of the settings counts at once.
 */
export function rateLimiterByProvider(
  settings: () => Pick<ModelsSettings, "providers" | "limits">,
  clock: RateLimiterClock = systemClock,
): (providerId: string) => RateLimiter {
  const known = new Map<string, RateLimiter>();
  return (providerId) => {
    const maxParallel = (): number => {
      const { providers, limits } = settings();
      return providers[providerId]?.maxParallel ?? limits.maxParallelAgents;
    };
    const limiter = known.get(providerId) ?? createRateLimiter(maxParallel, clock);
    known.set(providerId, limiter);
    return limiter;
  };
}
