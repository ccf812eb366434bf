import type { StreamFn } from "../../agent/model.ts";

/**
 * Lets at most `limit()` requests run at once; the others wait for their turn, in order. A request that waits while an
 * agent's children run can't block them: an agent asks nothing while its tools run.
 */
export function limitParallel(stream: StreamFn, limit: () => number): StreamFn {
  const waiting: (() => void)[] = [];
  let running = 0;

  function admit(): void {
    while (running < limit()) {
      const next = waiting.shift();
      if (next === undefined) return;
      running++;
      next();
    }
  }

  /** Resolves when it is this request's turn; false when it was aborted before. */
  function turn(signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const start = () => {
        signal?.removeEventListener("abort", leave);
        resolve(true);
      };
      const leave = () => {
        const at = waiting.indexOf(start);
        if (at >= 0) waiting.splice(at, 1);
        resolve(false);
      };
      if (signal?.aborted === true) return resolve(false);
      signal?.addEventListener("abort", leave, { once: true });
      waiting.push(start);
      admit();
    });
  }

  return async function* limited(model, request, options) {
    // Aborted while waiting: the stream itself says so, it asks nothing with a dead signal.
    const hasTurn = await turn(options.signal);
    try {
      yield* stream(model, request, options);
    } finally {
      if (hasTurn) running--;
      admit();
    }
  };
}
