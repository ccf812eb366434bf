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

  function stop(cause: NonNullable<Watch["stopped"]>): void {
    stopped ??= cause;
    controller.abort();
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
      else controller.signal.addEventListener("abort", end, { once: true });
    },
    release,
    end: () => {
      release();
      controller.abort();
    },
  };
}
