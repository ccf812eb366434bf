import { AgentError, errorText } from "./errors.ts";

/** Calls back when the signal aborts, at once if it has, until the result is disposed: a long-lived signal holds no ended run. */
export function onAbort(signal: AbortSignal, listener: () => void): { dispose(): void } {
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
  return { dispose: () => signal.removeEventListener("abort", listener) };
}

/** Aborts `controller` when `signal` aborts. Returns what undoes it. */
export function linkAbort(signal: AbortSignal | undefined, controller: AbortController): () => void {
  if (signal === undefined) return () => {};
  return onAbort(signal, () => controller.abort(signal.reason)).dispose;
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
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const listening = onAbort(signal, () => reject(abortedError(signal)));
  try {
    return await Promise.race([work, aborted]);
  } finally {
    listening.dispose();
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
  const listening = onAbort(signal, () => {
    stopTimer = startTimer(graceMs, resolve);
  });
  await Promise.race([work, left]);
  stopTimer();
  listening.dispose();
}
