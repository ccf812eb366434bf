import { unlessAborted } from "../workspace/unlessAborted.ts";

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

/** Has all paths at once; they are taken in one order by everyone, so that two callers never wait for each other. */
export function exclusivelyAll<T>(
  queue: PathQueue,
  paths: readonly string[],
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const inOrder = [...new Set(paths)].sort();
  const take = (index: number): Promise<T> => {
    const path = inOrder[index];
    return path === undefined ? work() : queue(path, signal, () => take(index + 1));
  };
  return take(0);
}
