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
