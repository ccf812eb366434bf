import { type RetryClock, retryClock } from "../../vocabulary/retries.ts";

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
export interface Timing extends RetryClock {
  /** Runs once `delayMs` have passed since it was started or last refreshed. */
  idle(run: () => void, delayMs: number): IdleTimer;
}

interface IdleTimer {
  refresh(): void;
  stop(): void;
}

export const timing: Timing = { ...retryClock, idle };

function idle(run: () => void, delayMs: number): IdleTimer {
  const timer = setTimeout(run, delayMs);
  return { refresh: () => timer.refresh(), stop: () => clearTimeout(timer) };
}
