import type { EventStream } from "../vocabulary/events.ts";

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
  #readers: ((read: IteratorResult<T, undefined>) => void)[] = [];

  constructor() {
    const { promise, resolve } = Promise.withResolvers<R>();
    this.result = promise;
    this.#resolve = resolve;
  }

  push(item: T): void {
    if (this.#ended) return;
    // Looked at first: nearly always nothing waits, and taking from an empty list is slow to compile.
    const reader = this.#readers.length === 0 ? undefined : this.#readers.shift();
    if (reader === undefined) this.#buffer.push(item);
    else reader({ done: false, value: item });
  }

  /** No more items come; what is buffered can still be read. */
  end(): void {
    this.#ended = true;
    for (const reader of this.#readers.splice(0)) reader({ done: true, value: undefined });
  }

  settle(result: R): void {
    this.#resolve(result);
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  /** What was not read yet. */
  protected get unread(): T[] {
    return this.#buffer.slice(this.#next);
  }

  /** Reads all that is there without waiting. */
  takeBuffered(): T[] {
    const taken = this.unread;
    this.#buffer = [];
    this.#next = 0;
    return taken;
  }

  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    return { next: () => this.#read(), return: async () => ({ done: true, value: undefined }) };
  }

  #read(): Promise<IteratorResult<T, undefined>> {
    if (this.#next < this.#buffer.length) return Promise.resolve({ done: false, value: this.#take() });
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  #take(): T {
    // The index was checked against the length by the only caller.
    const item = this.#buffer[this.#next] as T;
    this.#next += 1;
    if (this.#next === this.#buffer.length || this.#next >= compactionSize) this.#forget();
    return item;
  }

  #forget(): void {
    if (this.#next * 2 < this.#buffer.length) return;
    this.#buffer = this.#buffer.slice(this.#next);
    this.#next = 0;
  }
}
