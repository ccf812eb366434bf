import { createParser } from "eventsource-parser";
import { onAbort } from "../../vocabulary/abort.ts";
import type { EventBatch } from "../../vocabulary/eventBatches.ts";
import type { AssistantMessage } from "../../vocabulary/messages.ts";
import type { StreamEvent } from "../../vocabulary/model.ts";
import { concludeStream, cutFailure, sendingFailure } from "./conclude.ts";
import type { MessageDraft } from "./draft.ts";
import { failure, isFailure, type ProviderFailure } from "./failure.ts";
import { retryAfterMs, type Timing } from "./retry.ts";
import type { SseFrame, WireReader } from "./wire.ts";

const headLength = 2_000;
const drainMs = 1_000;

type Source = ReadableStreamDefaultReader<Uint8Array>;
type Chunk = Awaited<ReturnType<Source["read"]>>;

export interface AttemptOptions {
  draft: MessageDraft;
  reader: WireReader;
  send(signal: AbortSignal): Promise<Response>;
  /** The provider streams something that is no failure: others may follow. */
  onAnswer(): void;
  idleMs: number;
  startIdle: Timing["idle"];
  signal?: AbortSignal;
}

/** One try at one answer: a request, its stream, and what they came to. Read it until `outcome` is there, then close. */
export class Attempt {
  readonly #options: AttemptOptions;
  readonly #watch: Watch;
  readonly #decoder = createSseDecoder();
  #source: Source | undefined;
  /** The beginning of a body in which no frame was found yet. */
  #head = "";
  #hasFrames = false;
  #hasAnswered = false;
  #hasReported = false;
  /** What the head of the answer asks to wait, should the rest of it fail. */
  #askedMs: number | undefined;
  #events: StreamEvent[] = [];
  outcome: AssistantMessage | ProviderFailure | "aborted" | undefined;

  constructor(options: AttemptOptions) {
    this.#options = options;
    if (options.signal?.aborted) this.outcome = "aborted";
    this.#watch = watchRequest(options);
    // Nothing of a chunk is shown any more once the request was ended from our side.
    this.#watch.onStop(() => this.#events.splice(0));
  }

  /** The events of the next network chunk: few promises per chunk, and none per event. */
  read(): Promise<EventBatch> {
    if (this.#source === undefined) return this.#open().then(this.#takeSource, this.#failed);
    return this.#source.read().then(this.#takeChunk, this.#failed);
  }

  /** Ends what is still open. */
  close(): void {
    this.#watch.release();
    if (this.#options.reader.isComplete && this.#source !== undefined) drain(this.#source);
    else this.#watch.end();
  }

  async #open(): Promise<Source> {
    const watch = this.#watch;
    const response = await this.#send();
    watch.touch();
    this.#askedMs = retryAfterMs(response.headers, Date.now());
    if (response.body === null) throw new Error("The answer has no body.");
    const source = response.body.getReader();
    // A body that has already failed rejects here with the error that reading it gives anyway.
    watch.onStop(() => void source.cancel().catch(() => undefined));
    return source;
  }

  async #send(): Promise<Response> {
    const watch = this.#watch;
    let isSending = true;
    // A `fetch` of the host's may not know signals. Later nothing waits for this, and an error with its stack costs time.
    const stopped = new Promise<never>((_, reject) =>
      watch.onStop(() => isSending && reject(new Error("The request was ended."))),
    );
    try {
      return await Promise.race([this.#options.send(watch.signal), stopped]);
    } finally {
      isSending = false;
    }
  }

  // Functions that know their attempt, made once and not for every chunk.
  readonly #takeSource = (source: Source): EventBatch => {
    this.#source = source;
    return this.#newEvents();
  };

  readonly #failed = (error: unknown): EventBatch => {
    this.outcome = this.#source === undefined ? sendingFailure(error) : cutFailure(error);
    return this.#newEvents();
  };

  readonly #takeChunk = (chunk: Chunk): EventBatch => {
    try {
      this.#readChunk(chunk);
    } catch (error) {
      this.outcome = cutFailure(error);
    }
    return this.#newEvents();
  };

  #readChunk({ done, value }: Chunk): void {
    const { draft, reader } = this.#options;
    this.#watch.touch();
    const frames = done ? this.#decoder.end() : this.#decoder.push(value);
    if (frames.length > 0) this.#hasFrames = true;
    else if (!done && !this.#hasFrames && this.#head.length < headLength) {
      this.#head += new TextDecoder().decode(value).slice(0, headLength);
    }
    this.outcome = this.#withWait(readFrames(reader, frames));
    if (this.outcome === undefined && (done || reader.isComplete)) {
      this.outcome = concludeStream(reader, draft, this.#hasFrames ? "" : this.#head.trimStart());
    }
  }

  #withWait(failed: ProviderFailure | undefined): ProviderFailure | undefined {
    const asked = failed?.retryAfterMs ?? this.#askedMs;
    return failed === undefined || asked === undefined ? failed : { ...failed, retryAfterMs: asked };
  }

  /** The events to emit of all that has come, once its outcome is known. */
  #newEvents(): EventBatch {
    const { stopped } = this.#watch;
    if (stopped === "aborted") this.outcome = "aborted";
    if (stopped === "idle") {
      this.outcome = failure("network", { type: "stalled", idleMs: this.#options.idleMs }, true);
    }
    if (!this.#hasAnswered && this.#hasFrames && !isFailure(this.outcome ?? "")) {
      this.#hasAnswered = true;
      this.#options.onAnswer();
    }
    const { draft } = this.#options;
    this.#events = draft.takeEvents();
    if (stopped !== undefined) this.#events.splice(0);
    if (this.#hasReported || draft.usage === undefined) return this.#events;
    this.#hasReported = true;
    return Object.assign(this.#events, { usage: draft.usage });
  }
}

/**
 * Decodes `text/event-stream` a network chunk at a time, cut anywhere. The SDKs decode an event at a time and hide what we
 * go by: that a ping came, and whether the closing `[DONE]` did. An event without data is none, as its specification says.
 */
export function createSseDecoder(): { push(chunk: Uint8Array): SseFrame[]; end(): SseFrame[] } {
  const decoder = new TextDecoder();
  let frames: SseFrame[] = [];
  const parser = createParser({ onEvent: ({ event = null, data }) => frames.push({ event, data }) });
  const framesOf = (text: string) => {
    frames = [];
    parser.feed(text);
    return frames;
  };
  return {
    push: (chunk) => framesOf(decoder.decode(chunk, { stream: true })),
    // A body may end without the blank line that completes its last event.
    end: () => framesOf(`${decoder.decode()}\n\n`),
  };
}

/** Reads frames until the answer is complete or has failed. */
function readFrames(reader: WireReader, frames: readonly SseFrame[]): ProviderFailure | undefined {
  try {
    for (const frame of frames) {
      const failed = reader.read(frame);
      if (failed !== undefined) return failed;
      if (reader.isComplete) return undefined;
    }
    return undefined;
  } catch {
    // JSON that does not parse, or has another shape than its format: whatever it was, it was not an answer.
    return failure("incomplete", { type: "malformed" }, true);
  }
}

/**
 * Reads on to the end of a body whose answer is complete, so that the connection can be used again. Nothing waits for
 * it, and a server that keeps the body open is left soon.
 */
function drain(source: Source): void {
  const timer = setTimeout(() => void source.cancel().catch(() => undefined), drainMs);
  timer.unref?.();
  const readOn = (): Promise<void> => source.read().then(({ done }) => (done ? undefined : readOn()));
  void readOn()
    // The answer is whole: how its connection ends is of no interest.
    .catch(() => undefined)
    .finally(() => clearTimeout(timer));
}

/** Watches one request: ends it when the caller aborts, or when nothing has come for too long. */
export interface Watch {
  /** For the SDK and its fetch. */
  readonly signal: AbortSignal;
  /** Why the request was ended from our side, if it was. */
  readonly stopped: "aborted" | "idle" | undefined;
  /** Something came: the idle time starts again. */
  touch(): void;
  /** Runs once when the request is ended, at once if it already was. */
  onStop(end: () => void): void;
  /** Disposes of the timer and the listener; the request itself stays open. */
  release(): void;
  /** Releases, and ends the request. */
  end(): void;
}

interface WatchOptions {
  idleMs: number;
  startIdle: Timing["idle"];
  signal?: AbortSignal;
}

function watchRequest({ idleMs, startIdle, signal: outer }: WatchOptions): Watch {
  const controller = new AbortController();
  let stopped: Watch["stopped"];
  // Not listeners of the signal: those cost many times as much, and every request has some.
  const ends: (() => void)[] = [];

  function hangUp(reason?: unknown): void {
    // An abort without a reason makes an exception, also of a signal that has aborted already.
    if (controller.signal.aborted) return;
    controller.abort(reason);
    for (const end of ends.splice(0)) end();
  }
  function stop(cause: NonNullable<Watch["stopped"]>, reason?: unknown): void {
    stopped ??= cause;
    hangUp(reason);
  }
  const timer = startIdle(() => stop("idle"), idleMs);
  const listening = outer && onAbort(outer, () => stop("aborted", outer.reason));

  function release(): void {
    timer.stop();
    listening?.dispose();
  }
  return {
    signal: controller.signal,
    get stopped() {
      return stopped;
    },
    touch: () => {
      timer.refresh();
    },
    onStop: (end) => {
      if (controller.signal.aborted) end();
      else ends.push(end);
    },
    release,
    end: () => {
      release();
      hangUp();
    },
  };
}
