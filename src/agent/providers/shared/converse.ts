import type { ErrorFacts } from "../../vocabulary/errors.ts";
import type { EventBatch } from "../../vocabulary/eventBatches.ts";
import type { ModelRequest, StreamEvent, StreamOptions } from "../../vocabulary/model.ts";
import { retryDelayMs } from "../../vocabulary/retries.ts";
import { Attempt } from "./attempt.ts";
import { createDigest } from "./digest.ts";
import { MessageDraft } from "./draft.ts";
import { factsOf, isFailure, type ProviderFailure, type Target } from "./failure.ts";
import { type RequestFields, requestFields } from "./optionalFields.ts";
import { errorSentences, providerErrorText } from "./providerErrorText.ts";
import { limitsEverybody, type Permit, type RateLimiter, whileHeld } from "./rateLimiter.ts";
import { type Repair, type Repairs, repairRequest, type WrittenRequest } from "./repair.ts";
import type { Timing } from "./retry.ts";
import type { Wire } from "./wire.ts";

/** An answer that holds nothing is asked for again, but a model that has nothing to say will hardly change its mind. */
const emptyRetries = 2;

/** Everything that one answer needs. */
export interface Call {
  wire: Wire;
  request: ModelRequest;
  options: StreamOptions;
  target: Target;
  idleMs: number;
  maxRetries: number;
  timing: Timing;
  limiter: RateLimiter;
  repairs: Repairs;
  /** The fields that the provider has refused for this model. */
  refused: Set<string>;
  /** Why there is no point in sending. */
  obstacle: ProviderFailure | undefined;
  write(request: ModelRequest, fields: RequestFields): WrittenRequest;
  send(written: WrittenRequest, signal: AbortSignal): Promise<Response>;
}

/** What is sent, and whether it is the second version of its history. */
interface Draft {
  written: WrittenRequest;
  isRepaired: boolean;
}

type Outcome = NonNullable<Attempt["outcome"]>;
/** What follows an attempt: the end of the stream, or another attempt. */
type Next = { end: StreamEvent } | { delayMs: number; reason: RetryReason; repaired?: Repair };

/** Why another attempt follows, for those who wait for it. */
interface RetryReason {
  error: string;
  errorFacts: ErrorFacts;
}

/** Asks, waits and asks again until something of an answer came, and always ends in `done` or `error`. */
export async function* converse(call: Call): AsyncGenerator<EventBatch, void, undefined> {
  const { options, target, repairs } = call;
  yield [{ type: "start" }];
  if (call.obstacle !== undefined) {
    yield [failed(newMessage(call), call.obstacle, target)];
    return;
  }
  let sent: Draft = {
    written: call.write(repairs.known(call.request), requestFields(call.refused)),
    isRepaired: false,
  };
  for (const message of sent.written.fields.warnings) yield [{ type: "warning", message }];
  for (let number = 1; ; number += 1) {
    const message = newMessage(call);
    // Here and not while it is sent: a host that fails at it is no failing provider.
    sent.written.body();
    const permit = call.limiter.acquire();
    let next: Next;
    try {
      if (permit.hold !== undefined) {
        for await (const event of whileHeld(permit, number - 1, options.signal)) yield [event];
      }
      const attempt = newAttempt(call, { message, written: sent.written, permit });
      try {
        // Here and not in a generator of its own: handing each chunk on would cost several promises more.
        while (attempt.outcome === undefined) yield attempt.read();
      } finally {
        attempt.close();
      }
      const { outcome } = attempt;
      next = judge(call, { message, outcome, sent, number });
      updateLimiter(call, permit, { outcome, next });
      if (sent.isRepaired && !isFailure(outcome)) repairs.keep(call.request);
    } finally {
      permit.release();
    }
    if ("end" in next) {
      yield [next.end];
      return;
    }
    const { delayMs, reason, repaired } = next;
    if (repaired?.type === "field") {
      sent = { ...sent, written: repaired.written };
      if (repaired.isNew) yield [{ type: "warning", message: refusedFieldText(repaired.field, reason.errorFacts) }];
      // Not one of the attempts that a failing provider gets: each field is refused once.
      number -= 1;
      continue;
    }
    if (repaired !== undefined) sent = { written: repaired.written, isRepaired: true };
    yield [{ type: "retry", attempt: number, delayMs, ...reason }];
    await call.timing.wait(delayMs, options.signal);
  }
}

interface Asked {
  message: MessageDraft;
  outcome: Outcome;
  sent: Draft;
  number: number;
}

function judge(call: Call, { message, outcome, sent, number }: Asked): Next {
  const { options, target, timing } = call;
  if (outcome === "aborted" || options.signal?.aborted) {
    return { end: { type: "error", message: message.message("aborted") } };
  }
  if (!isFailure(outcome)) return { end: { type: "done", message: outcome } };
  const reason = retryReason(outcome, target);
  const { written, isRepaired: isHistoryRepaired } = sent;
  const { refused, repairs, write, wire } = call;
  const known = wire.optionalFields;
  // What has begun was read already: it is not asked for again, however the request was at fault.
  const repaired = message.hasBegun
    ? undefined
    : repairRequest({ failure: outcome, written, known, refused, repairs, isHistoryRepaired, write });
  if (repaired !== undefined) return { delayMs: 0, reason, repaired };
  if (!mayRetry(outcome, message, number, call.maxRetries)) return { end: failed(message, outcome, target) };
  return { delayMs: retryDelayMs(number, outcome.retryAfterMs, timing.random()), reason };
}

function retryReason(outcome: ProviderFailure, target: Target): RetryReason {
  const facts = factsOf(outcome, target);
  return { error: `${errorSentences(facts).what}.`, errorFacts: facts };
}

function refusedFieldText(field: string, { provider, model, said }: ErrorFacts): string {
  return `${provider} does not take ${field} for ${model}, so it is left out${said === undefined ? "" : ` (${said})`}.`;
}

/** Whatever else is wrong with a request, a provider that judged it takes requests. */
function updateLimiter(call: Call, permit: Permit, { outcome, next }: { outcome: Outcome; next: Next }): void {
  if (outcome === "aborted" || !isFailure(outcome)) return;
  if (!limitsEverybody(outcome.kind)) {
    if (!outcome.isRetryable) permit.answered();
    return;
  }
  // The delay of an attempt that will follow, or the one that the next request has to expect.
  const delayMs = "end" in next ? retryDelayMs(1, outcome.retryAfterMs, 0) : next.delayMs;
  const { error, errorFacts } = retryReason(outcome, call.target);
  permit.limited(delayMs, error, errorFacts);
}

function newMessage({ target, request }: Call): MessageDraft {
  let taken: ReadonlySet<string> | undefined;
  return new MessageDraft(target.model, (callId) => {
    taken ??= callIds.of(request.messages, "", undefined);
    return taken.has(callId);
  });
}

/** The ids that results name. */
const callIds = createDigest<Set<string>, undefined>(
  () => new Set(),
  (ids, message) => {
    if (message.role === "toolResult") ids.add(message.callId);
  },
);

/** The terminal event of an answer that failed, with what had come of it. */
function failed(message: MessageDraft, failure: ProviderFailure, target: Target): StreamEvent {
  const facts = factsOf(failure, target);
  const { kind: errorKind, retryAfterMs } = failure;
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  const said = { errorMessage: providerErrorText(facts), errorKind, errorFacts: facts, ...wait };
  return { type: "error", message: { ...message.message("error"), ...said } };
}

function newAttempt(
  call: Call,
  { message, written, permit }: { message: MessageDraft; written: WrittenRequest; permit: Permit },
): Attempt {
  return new Attempt({
    draft: message,
    reader: call.wire.createReader(message, call.request),
    send: (signal) => call.send(written, signal),
    onAnswer: () => permit.answered(),
    idleMs: call.idleMs,
    startIdle: call.timing.idle,
    ...(call.options.signal === undefined ? {} : { signal: call.options.signal }),
  });
}

function mayRetry(failed: ProviderFailure, message: MessageDraft, attempts: number, maxRetries: number): boolean {
  const { type } = failed.cause;
  const limit = type === "empty" || type === "missingCalls" ? Math.min(emptyRetries, maxRetries) : maxRetries;
  return failed.isRetryable && !message.hasBegun && attempts <= limit;
}
