/** Calls back when the signal aborts, at once if it has, until the result is disposed. */
export function onAbort(signal: AbortSignal, listener: () => void): { dispose(): void } {
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
  return { dispose: () => signal.removeEventListener("abort", listener) };
}

/** What a promise gives, unless the signal aborts first: then its reason is thrown, and what was waited for goes on alone. */
export async function unlessAborted<T>(wait: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const listening = onAbort(signal, () => aborted.reject(signal.reason));
  try {
    return await Promise.race([wait, aborted.promise]);
  } finally {
    listening.dispose();
  }
}
