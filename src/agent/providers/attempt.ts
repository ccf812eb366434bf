import type { AssistantMessage } from "../messages.ts";
import type { StreamEvent } from "../model.ts";
import { concludeStream, cutFailure, readFrames, sendingFailure } from "./conclude.ts";
import type { MessageDraft } from "./draft.ts";
import { failure, type ProviderFailure } from "./failure.ts";
import type { Timing } from "./retry.ts";
import { createSseDecoder, type SseDecoder } from "./sse.ts";
import { type Watch, watchRequest } from "./watch.ts";
import type { WireReader } from "./wire.ts";

const headLength = 2_000;
const drainMs = 1_000;

export interface AttemptOptions {
  draft: MessageDraft;
  reader: WireReader;
  send(signal: AbortSignal): Promise<Response>;
  idleMs: number;
  startIdle: Timing["idle"];
  signal?: AbortSignal;
}

/** One try at one answer: a request, its stream, and what they came to. Read it until `outcome` is there, then close. */
export class Attempt {
  readonly #options: AttemptOptions;
  readonly #watch: Watch;
  readonly #decoder: SseDecoder = createSseDecoder();
  #source: ReadableStreamDefaultReader<Uint8Array> | undefined;
  /** The beginning of a body in which no frame was found yet. */
  #head = "";
  #hasFrames = false;
  #events: StreamEvent[] = [];
  outcome: AssistantMessage | ProviderFailure | "aborted" | undefined;

  constructor(options: AttemptOptions) {
    this.#options = options;
    this.#watch = watchRequest(options);
    // Nothing of a chunk is shown any more once the request was ended from our side.
    this.#watch.onStop(() => this.#events.splice(0));
  }

  /** True once the server has begun to stream something. */
  get hasFrames(): boolean {
    return this.#hasFrames;
  }

  /** The events of the next network chunk: a promise per chunk, not per event. */
  async read(): Promise<StreamEvent[]> {
    try {
      if (this.#source === undefined) this.#source = await this.#open();
      else await this.#readChunk(this.#source);
    } catch (error) {
      this.outcome = this.#source === undefined ? sendingFailure(error) : cutFailure(error);
    }
    const { stopped } = this.#watch;
    if (stopped === "aborted") this.outcome = "aborted";
    if (stopped === "idle") {
      this.outcome = failure("network", { type: "stalled", idleMs: this.#options.idleMs }, true);
    }
    this.#events = this.#options.draft.takeEvents();
    if (stopped !== undefined) this.#events.splice(0);
    return this.#events;
  }

  /** Ends what is still open. */
  close(): void {
    this.#watch.release();
    if (this.#options.reader.isComplete && this.#source !== undefined) drain(this.#source);
    else this.#watch.end();
  }

  async #open(): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    const watch = this.#watch;
    // A `fetch` of the host's may not know signals.
    const stopped = new Promise<never>((_, reject) => watch.onStop(() => reject(new Error("The request was ended."))));
    const response = await Promise.race([this.#options.send(watch.signal), stopped]);
    watch.touch();
    if (response.body === null) throw new Error("The answer has no body.");
    const source = response.body.getReader();
    // A body that has already failed rejects here with what reading it tells anyway.
    watch.onStop(() => void source.cancel().catch(() => undefined));
    return source;
  }

  async #readChunk(source: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    const { draft, reader } = this.#options;
    const { done, value } = await source.read();
    this.#watch.touch();
    const frames = done ? this.#decoder.end() : this.#decoder.push(value);
    if (frames.length > 0) this.#hasFrames = true;
    else if (!done && !this.#hasFrames && this.#head.length < headLength) {
      this.#head += new TextDecoder().decode(value).slice(0, headLength);
    }
    this.outcome = readFrames(reader, frames);
    if (this.outcome === undefined && (done || reader.isComplete)) {
      this.outcome = concludeStream(reader, draft, this.#hasFrames ? "" : this.#head.trimStart());
    }
  }
}

/**
 * Reads on to the end of a body whose answer is complete, so that the connection can be used again. Nobody waits for
 * it, and a server that keeps the body open is left soon.
 */
function drain(source: ReadableStreamDefaultReader<Uint8Array>): void {
  const timer = setTimeout(() => void source.cancel().catch(() => undefined), drainMs);
  timer.unref?.();
  const readOn = (): Promise<void> => source.read().then(({ done }) => (done ? undefined : readOn()));
  void readOn()
    // The answer is whole: how its connection ends is of no interest.
    .catch(() => undefined)
    .finally(() => clearTimeout(timer));
}
