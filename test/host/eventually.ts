const patienceMs = 30_000;
const effectMs = 3_000;
const pauseMs = 50;

/** Checks again until the check passes; when patience ends, with the check's own failure. For what a page shows only soon. */
export function eventually<T>(check: () => Promise<T>): Promise<T> {
  return within(patienceMs, check);
}

/**
 * Does something that may come too early to have an effect, and does it again when none shows for long. Doing it at
 * every check would leave keys and clicks under way that act on what comes next.
 */
export function untilEffective<T>(act: () => Promise<unknown>, check: () => Promise<T>): Promise<T> {
  return eventually(async () => {
    await act();
    return within(effectMs, check);
  });
}

async function within<T>(limitMs: number, check: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + limitMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
