import { onAbort, startTimer } from "./abort.ts";

const firstDelayMs = 500;
const maxBackoffMs = 8_000;
const maxRetryAfterMs = 60_000;

/**
 * Milliseconds before attempt number `attempt` + 1: what the server asked for, else 0.5 s doubling up to 8 s, less up
 * to a quarter by `random` (0..1), so that many clients do not come back at once.
 */
export function retryDelayMs(attempt: number, askedMs: number | undefined, random: number): number {
  // Plain JSON has null in place of what is no number.
  if (typeof askedMs === "number" && askedMs >= 0) return Math.min(askedMs, maxRetryAfterMs);
  const backoff = Math.min(firstDelayMs * 2 ** (attempt - 1), maxBackoffMs);
  const share = random >= 0 && random <= 1 ? random : 0;
  return Math.round(backoff * (1 - share / 4));
}

/** How time passes between attempts. */
export interface RetryClock {
  /** Resolves after `delayMs`, or at once when the signal fires. */
  wait(delayMs: number, signal: AbortSignal | undefined): Promise<void>;
  /** 0..1 */
  random(): number;
}

export const retryClock: RetryClock = { wait, random: Math.random };

function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stopTimer = startTimer(delayMs, resolve);
  const listening = signal && onAbort(signal, resolve);
  return promise.finally(() => {
    stopTimer();
    listening?.dispose();
  });
}
