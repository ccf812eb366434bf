const patienceMs = 15_000;
const pauseMs = 50;

/** Checks again until the check passes; when patience ends, with the check's own failure. For what a page shows only soon. */
export async function eventually<T>(check: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
