const firstDelayMs = 500;
const maxBackoffMs = 8_000;
const maxRetryAfterMs = 60_000;

/**
 * Milliseconds before attempt number `attempt` + 1: what the server asked for, else 0.5 s doubling up to 8 s, less up
 * to a quarter by `random` (0..1), so that many clients do not come back at once.
 */
export function retryDelayMs(attempt: number, askedMs: number | undefined, random: number): number {
  if (askedMs !== undefined) return Math.min(askedMs, maxRetryAfterMs);
  const backoff = Math.min(firstDelayMs * 2 ** (attempt - 1), maxBackoffMs);
  return Math.round(backoff * (1 - random / 4));
}

/**
 * What `retry-after` (seconds or a date) or `retry-after-ms` ask for. A time that has passed, zero or nonsense asks for
 * nothing, so that the backoff applies: coming back at once is what the server wanted to prevent.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const milliseconds = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (milliseconds > 0) return milliseconds;
  const value = headers.get("retry-after");
  if (value === null || value.trim() === "") return undefined;
  const seconds = Number(value);
  const wait = Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1000;
  return wait > 0 ? wait : undefined;
}

/** How time passes between attempts, and within one. */
export interface Timing {
  wait(delayMs: number, signal: AbortSignal | undefined): Promise<void>;
  /** 0..1 */
  random(): number;
  /** Runs once `delayMs` have passed since it was started or last refreshed. */
  idle(run: () => void, delayMs: number): IdleTimer;
}

interface IdleTimer {
  refresh(): void;
  stop(): void;
}

export const timing: Timing = { wait, random: Math.random, idle };

function idle(run: () => void, delayMs: number): IdleTimer {
  const timer = setTimeout(run, delayMs);
  return { refresh: () => timer.refresh(), stop: () => clearTimeout(timer) };
}

/** Resolves after `delayMs`, or at once when the signal fires. */
function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const finish = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, delayMs);
    signal?.addEventListener("abort", finish, { once: true });
  });
}
