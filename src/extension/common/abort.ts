import { onAbort } from "../../agent/vocabulary/abort.ts";

export { onAbort } from "../../agent/vocabulary/abort.ts";

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
