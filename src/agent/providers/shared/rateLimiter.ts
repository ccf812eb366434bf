import type { ErrorFacts } from "../../vocabulary/errors.ts";
import type { ProviderErrorKind } from "../../vocabulary/messages.ts";
import type { StreamEvent } from "../../vocabulary/model.ts";

/** When requests to one provider may be sent. Shared by all who ask it, so that they wait together. */
export interface RateLimiter {
  /** Lines up for one request. */
  acquire(): Permit;
}

/** The permit of one request. It is released in the end, whatever the outcome. */
export interface Permit {
  /** Why the request has to wait; undefined once it may be sent. */
  readonly hold: Hold | undefined;
  /** Resolves when the hold has changed, at once when the signal fires. */
  changed(signal: AbortSignal | undefined): Promise<void>;
  /** The provider takes requests. */
  answered(): void;
  /** The provider wants fewer requests: no request is to be sent for `delayMs`. */
  limited(delayMs: number, reason: string, facts?: ErrorFacts): void;
  release(): void;
}

export interface Hold {
  /** Absent while it is not known: others come first. */
  delayMs?: number;
  /** What the provider said; absent for a mere line. */
  reason?: string;
  /** The same as data. */
  facts?: ErrorFacts;
}

/** Failures that concern everybody who asks the same provider. */
export function limitsEverybody(kind: ProviderErrorKind | undefined): boolean {
  return kind === "rate_limit" || kind === "overloaded";
}

/**
 * Waits until the request may be sent or its signal fires; emits each wait whose length is known, and once, without a
 * reason, that others come first.
 */
export async function* whileHeld(
  permit: Permit,
  attempt: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamEvent, void, undefined> {
  let isQueued = attempt > 0;
  for (let hold = permit.hold; hold !== undefined && signal?.aborted !== true; hold = permit.hold) {
    const { delayMs, reason = "", facts } = hold;
    if (delayMs !== undefined) {
      yield { type: "retry", attempt, delayMs, error: reason, ...(facts && { errorFacts: facts }) };
    } else if (reason === "" && !isQueued) {
      isQueued = true;
      yield { type: "retry", attempt, delayMs: 0, error: "" };
    }
    // Its turn may have come while the event was looked at, and nothing would wake it any more.
    if (permit.hold === undefined) return;
    await permit.changed(signal);
  }
}

const free: Permit = {
  hold: undefined,
  changed: async () => {},
  answered: () => {},
  limited: () => {},
  release: () => {},
};

/** All requests are sent at once. */
export const unlimited: RateLimiter = { acquire: () => free };
