import type { StreamEvent } from "./model.ts";
import type { Usage } from "./usage.ts";

/**
 * Events that came at once. The maker of a batch empties it when its request is ended while it is being read.
 * `usage`: what the provider has reported of the request's tokens, with the first batch that knows of it.
 */
export type EventBatch = readonly StreamEvent[] & { readonly usage?: Usage };

const batches = Symbol("batches");

interface BatchedStream extends AsyncIterable<StreamEvent> {
  [batches](): AsyncIterable<EventBatch | StreamEvent>;
}

/** A stream that the loop reads by the batch, since reading by the event costs several promises for each. */
export function batchedStream(open: () => AsyncIterable<EventBatch | StreamEvent>): AsyncIterable<StreamEvent> {
  const stream: BatchedStream = {
    [batches]: open,
    async *[Symbol.asyncIterator]() {
      for await (const read of open()) yield* eventsOf(read);
    },
  };
  return stream;
}

/** A stream that `open` resolves to when it is first read. From then on its reader reads it directly. */
export function deferredStream(open: () => Promise<AsyncIterable<StreamEvent>>): AsyncIterable<StreamEvent> {
  return batchedStream(() => ({
    [Symbol.asyncIterator]() {
      let source: AsyncIterator<EventBatch | StreamEvent> | undefined;
      return {
        next() {
          if (source !== undefined) return source.next();
          return open().then((stream) => {
            source = batchesOf(stream)[Symbol.asyncIterator]();
            return source.next();
          });
        },
        return: () => source?.return?.() ?? Promise.resolve({ done: true, value: undefined }),
      };
    },
  }));
}

/** The batches of a stream that has them; any other gives its events one by one. */
export function batchesOf(stream: AsyncIterable<StreamEvent>): AsyncIterable<EventBatch | StreamEvent> {
  return isBatched(stream) ? stream[batches]() : stream;
}

export function eventsOf(read: EventBatch | StreamEvent): EventBatch {
  return "type" in read ? [read] : read;
}

function isBatched(stream: AsyncIterable<StreamEvent>): stream is BatchedStream {
  return batches in stream;
}
