import type { EventStream } from "./events.ts";

/** Below this many consumed entries, moving the rest costs more than it frees. */
const compactionSize = 1024;

/**
 * A stream that is written to at any time and read at any pace. The buffer is unbounded, so a reader that stops never
 * blocks the writer; what was read is forgotten. Breaking out of a loop leaves the rest for the next one.
 */
export class BufferedStream<T, R> implements EventStream<T, R> {
  readonly result: Promise<R>;
  readonly #resolve: (result: R) => void;
  #buffer: T[] = [];
  #next = 0;
  #ended = false;
  #readers: (() => void)[] = [];

  constructor() {
    const { promise, resolve } = Promise.withResolvers<R>();
    this.result = promise;
    this.#resolve = resolve;
  }

  push(item: T): void {
    if (this.#ended) return;
    this.#buffer.push(item);
    this.#wake();
  }

  /** No more items come; what is buffered can still be read. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  settle(result: R): void {
    this.#resolve(result);
  }

  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    return { next: () => this.#read(), return: async () => ({ done: true, value: undefined }) };
  }

  async #read(): Promise<IteratorResult<T, undefined>> {
    for (;;) {
      if (this.#next < this.#buffer.length) return { done: false, value: this.#take() };
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#readers.push(resolve);
      });
    }
  }

  #take(): T {
    // The index was checked against the length by the only caller.
    const item = this.#buffer[this.#next] as T;
    this.#next += 1;
    if (this.#next === this.#buffer.length) {
      this.#buffer = [];
      this.#next = 0;
    } else if (this.#next >= compactionSize && this.#next * 2 >= this.#buffer.length) {
      this.#buffer = this.#buffer.slice(this.#next);
      this.#next = 0;
    }
    return item;
  }

  #wake(): void {
    if (this.#readers.length === 0) return;
    const readers = this.#readers;
    this.#readers = [];
    for (const wake of readers) wake();
  }
}
