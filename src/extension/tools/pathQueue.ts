/** Lets one piece of work at a time have a path. Whoever waits can be called off; whoever works is waited for. */
export type PathQueue = <T>(path: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

export function createPathQueue(): PathQueue {
  const tails = new Map<string, Promise<void>>();
  return async (path, signal, work) => {
    const before = tails.get(path) ?? Promise.resolve();
    const done = Promise.withResolvers<void>();
    // The place in the queue is kept until those before have left, even when its owner has given up.
    const tail = before.then(() => done.promise);
    tails.set(path, tail);
    try {
      await unlessAborted(before, signal);
      return await work();
    } finally {
      done.resolve();
      if (tails.get(path) === tail) void tail.then(() => tails.get(path) === tail && tails.delete(path));
    }
  };
}

async function unlessAborted(wait: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    await Promise.race([wait, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
