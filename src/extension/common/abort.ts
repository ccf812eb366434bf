/** What a promise gives, unless the signal aborts first: then its reason is thrown, and what was waited for goes on alone. */
export async function unlessAborted<T>(wait: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([wait, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
