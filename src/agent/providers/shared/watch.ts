import type { Timing } from "./retry.ts";

/** Watches one request: ends it when the caller aborts, or when nothing has come for too long. */
export interface Watch {
  /** For the SDK and its fetch. */
  readonly signal: AbortSignal;
  /** Why the request was ended from our side, if it was. */
  readonly stopped: "aborted" | "idle" | undefined;
  /** Something came: the idle time starts anew. */
  touch(): void;
  /** Runs once when the request is ended, at once if it already was. */
  onStop(end: () => void): void;
  /** Lets go of timer and listener; what is still open stays so. */
  release(): void;
  /** Releases, and ends the request. */
  end(): void;
}

export interface WatchOptions {
  idleMs: number;
  startIdle: Timing["idle"];
  signal?: AbortSignal;
}

export function watchRequest({ idleMs, startIdle, signal: outer }: WatchOptions): Watch {
  const controller = new AbortController();
  let stopped: Watch["stopped"];
  // Not listeners of the signal: those cost many times as much, and every request has some.
  const ends: (() => void)[] = [];

  function hangUp(): void {
    controller.abort();
    for (const end of ends.splice(0)) end();
  }
  function stop(cause: NonNullable<Watch["stopped"]>): void {
    stopped ??= cause;
    hangUp();
  }
  const abort = (): void => stop("aborted");
  const timer = startIdle(() => stop("idle"), idleMs);
  outer?.addEventListener("abort", abort, { once: true });
  if (outer?.aborted) abort();

  function release(): void {
    timer.stop();
    outer?.removeEventListener("abort", abort);
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
