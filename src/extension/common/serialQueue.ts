/** Runs steps one at a time, in the order in which they were given, whether those before failed or not. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Settles as the step does. */
  run<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#last.then(step);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Resolves when all steps so far are over. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
