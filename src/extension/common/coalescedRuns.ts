/**
 * Runs one at a time, and a single one more for all that ask meanwhile: each has a run that begins after it asked. Settles
 * when no run is left; rejects with the first failure since it began.
 */
export function coalescedRuns(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isAsked = false;

  async function runAll(): Promise<void> {
    const failures: unknown[] = [];
    while (isAsked) {
      isAsked = false;
      try {
        await run();
      } catch (error) {
        failures.push(error);
        // A run may throw before it waits for anything, and the promise of all is known to `running` only later.
        await undefined;
      }
    }
    // In the same step as the last look, so that whatever asks later starts the next one.
    running = undefined;
    if (failures.length > 0) throw failures[0];
  }

  return () => {
    isAsked = true;
    running ??= runAll();
    return running;
  };
}
