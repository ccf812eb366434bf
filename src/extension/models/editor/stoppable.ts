/** A wait that the user can end at once, whatever it waits for. */
export interface Stoppable {
  /** For those who can end their work themselves. */
  readonly signal: AbortSignal;
  /** What a promise came to, unless the stop was first. */
  race<T>(pending: PromiseLike<T>): Promise<Raced<T>>;
  /** Ends what is still under way. */
  end(): void;
}

type Raced<T> = { type: "done"; value: T } | { type: "failed"; error: unknown } | { type: "stopped" };

export function stoppable(outer: AbortSignal | undefined): Stoppable {
  const controller = new AbortController();
  const signal = outer === undefined ? controller.signal : AbortSignal.any([outer, controller.signal]);
  const stopped = new Promise<{ type: "stopped" }>((resolve) => {
    const stop = () => resolve({ type: "stopped" });
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  return {
    signal,
    race: async (pending) => {
      if (signal.aborted) {
        // Nobody waits for it any more, whatever it comes to.
        pending.then(undefined, () => undefined);
        return { type: "stopped" };
      }
      const settled = pending.then(
        (value) => ({ type: "done" as const, value }),
        (error: unknown) => ({ type: "failed" as const, error }),
      );
      return Promise.race([settled, stopped]);
    },
    end: () => controller.abort(),
  };
}
