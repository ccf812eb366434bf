const signalNumbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;

/** What has to be undone before this process ends, last thing first. */
export interface Cleanup {
  add(step: () => Promise<void>): void;
  /** Undoes all of it, once; what fails does not keep the rest from being undone. */
  run(): Promise<void>;
}

/** Undoes also when the process is asked to end, and only then lets it end. */
export function cleanup(): Cleanup {
  const steps: (() => Promise<void>)[] = [];
  let running: Promise<void> | undefined;

  const undo = async () => {
    const failures: unknown[] = [];
    for (let step = steps.pop(); step; step = steps.pop()) {
      await step().catch((error: unknown) => failures.push(error));
    }
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal).off("SIGHUP", onSignal);
    if (failures.length > 0) throw new AggregateError(failures, "Not everything could be cleaned up.");
  };
  const run = () => (running ??= undo());
  const onSignal = (signal: NodeJS.Signals) => {
    const code = 128 + (signalNumbers[signal as keyof typeof signalNumbers] ?? 0);
    run().then(
      () => process.exit(code),
      (error: unknown) => {
        console.error(error);
        process.exit(code);
      },
    );
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal).on("SIGHUP", onSignal);
  return { add: (step) => steps.push(step), run };
}
