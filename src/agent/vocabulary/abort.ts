import { AgentError, errorText } from "./errors.ts";

/** Aborts `controller` when `signal` aborts. Returns what undoes it, so that a long-lived signal holds no ended run. */
export function linkAbort(signal: AbortSignal | undefined, controller: AbortController): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    controller.abort(signal.reason);
    return () => {};
  }
  const abort = () => controller.abort(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  return () => signal.removeEventListener("abort", abort);
}

/** The signal of something within what `outer` ends. */
export interface InnerAbort {
  /** Made when it is first looked at: most tools never do, and a signal with its listener costs more than a short call. */
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** It no longer follows the outer signal, which may live much longer. */
  release(): void;
}

export function innerAbort(outer: AbortSignal): InnerAbort {
  let controller: AbortController | undefined;
  let unlink = () => {};
  let isReleased = false;
  const made = () => {
    if (controller !== undefined) return controller;
    controller = new AbortController();
    if (!isReleased || outer.aborted) unlink = linkAbort(outer, controller);
    return controller;
  };
  return {
    get signal() {
      return made().signal;
    },
    abort: (reason) => made().abort(reason),
    release() {
      isReleased = true;
      unlink();
    },
  };
}

/** The error of a run that was stopped; `cause` is the reason the signal was aborted with. */
export function abortedError(signal: AbortSignal): AgentError {
  const cause: unknown = signal.reason;
  if (cause instanceof AgentError && cause.code === "aborted") return cause;
  return new AgentError("aborted", `The run was aborted: ${errorText(cause)}`, { cause });
}

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortedError(signal);
}

/** Waits for `work`, but leaves at once when the signal aborts, whether or not the work heeds it. */
export async function untilAborted<T>(work: T | Promise<T>, signal: AbortSignal): Promise<T> {
  if (!(work instanceof Promise)) return work;
  let leave = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    leave = () => reject(abortedError(signal));
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/** The longest wait of the platform's timers; a longer one would be over at once. */
export const maxTimerMs = 2 ** 31 - 1;

/** Runs once `delayMs` have passed, however many they are; never for Infinity. Returns what stops it. */
export function startTimer(delayMs: number, run: () => void): () => void {
  if (delayMs === Number.POSITIVE_INFINITY) return () => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (restMs: number) => {
    const nextMs = Math.min(restMs, maxTimerMs);
    timer = setTimeout(() => (restMs > nextMs ? wait(restMs - nextMs) : run()), nextMs);
  };
  wait(delayMs);
  return () => clearTimeout(timer);
}

/** Waits for work of others; once aborted, no longer than the grace period. */
export async function leaveLate(work: Promise<void>, signal: AbortSignal, graceMs: number): Promise<void> {
  const { promise: left, resolve } = Promise.withResolvers<void>();
  let stopTimer = () => {};
  const startGrace = () => {
    stopTimer = startTimer(graceMs, resolve);
  };
  signal.addEventListener("abort", startGrace, { once: true });
  if (signal.aborted) startGrace();
  await Promise.race([work, left]);
  stopTimer();
  signal.removeEventListener("abort", startGrace);
}
