import type { StreamEvent } from "./model.ts";
import type { Usage } from "./usage.ts";

/**
 * Events that came at once. The maker of a batch empties it when its request is ended while it is being read.
 * `usage`: what the provider has reported of the request's tokens, with the first batch that knows of it.
 */
export type EventBatch = readonly StreamEvent[] & { readonly usage?: Usage };

const batches = Symbol("batches");

interface BatchedStream extends AsyncIterable<StreamEvent> {
  [batches](): AsyncIterable<EventBatch>;
}

/** A stream that the loop reads by the batch, since reading by the event costs several promises for each. */
export function batchedStream(open: () => AsyncIterable<EventBatch>): AsyncIterable<StreamEvent> {
  const stream: BatchedStream = {
    [batches]: open,
    async *[Symbol.asyncIterator]() {
      for await (const batch of open()) yield* batch;
    },
  };
  return stream;
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
