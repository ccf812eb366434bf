/** A run that is about to start by itself. */
export class Resumption {
  #due: { timer: ReturnType<typeof setTimeout>; done: Promise<void>; finish: () => void } | undefined;

  get isDue(): boolean {
    return this.#due !== undefined;
  }

  /** Resolves when it has started or was called off. */
  get done(): Promise<void> {
    return this.#due?.done ?? Promise.resolve();
  }

  /** Not before whoever stopped the last run has seen the agent idle. */
  schedule(start: () => void): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#due = undefined;
      start();
      resolve();
    }, 0);
    this.#due = { timer, done: promise, finish: resolve };
  }

  cancel(): void {
    if (this.#due === undefined) return;
    clearTimeout(this.#due.timer);
    this.#due.finish();
    this.#due = undefined;
  }
}
