import { batchedStream, type EventBatch } from "../eventBatches.ts";
import type { ModelRequest, StreamEvent, StreamFn, StreamOptions } from "../model.ts";
import { Attempt } from "./attempt.ts";
import type { ProviderConfig } from "./config.ts";
import { MessageDraft } from "./draft.ts";
import { failure, isFailure, type ProviderFailure } from "./failure.ts";
import { createJsonCache, wellFormedJson } from "./json.ts";
import { retryDelayMs, type Timing, timing } from "./retry.ts";
import { createMasker } from "./secrets.ts";
import { failureText, type Target } from "./sentences.ts";
import type { Connection, Post, Wire } from "./wire.ts";

const defaultIdleMs = 120_000;
const defaultRetries = 5;
/** An answer that holds nothing is asked for again, but a model that has nothing to say will hardly change its mind. */
const emptyRetries = 2;

/** A `StreamFn` for one wire: asks, retries until something of an answer came, and always ends in `done` or `error`. */
export function createProvider(wire: Wire, config: ProviderConfig, pace: Timing = timing): StreamFn {
  const cache = createJsonCache();
  const posts = new Map<string, Promise<Post>>();

  function postTo(connection: Connection): Promise<Post> {
    const key = JSON.stringify([connection.baseUrl, connection.apiKey]);
    const post = posts.get(key) ?? wire.connect(connection);
    posts.set(key, post);
    return post;
  }
  return (model, request, options) => {
    const baseUrl = model.baseUrl ?? config.baseUrl ?? wire.defaultBaseUrl;
    const apiKey = options.apiKey ?? config.apiKey;
    const headers = { ...config.headers, ...options.headers };
    const idleMs = config.idleTimeoutMs ?? defaultIdleMs;
    const connection: Connection = {
      baseUrl,
      timeoutMs: idleMs,
      ...(apiKey === undefined || apiKey === "" ? {} : { apiKey }),
      ...(config.fetch === undefined ? {} : { fetch: config.fetch }),
    };
    const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
    const call: Call = {
      wire,
      request,
      options,
      target: { model, host, mask: createMasker(apiKey, headers) },
      idleMs,
      maxRetries: config.maxRetries ?? defaultRetries,
      timing: pace,
      obstacle: obstacleOf(connection, headers, wire),
      write: () => prepare(wire.writeBody(model, request, options, { cache, baseUrl }), options),
      send: async (json, signal) => {
        const post = await postTo(connection);
        return reportResponse(post(json, { headers, signal }), options);
      },
    };
    return batchedStream(() => converse(call));
  };
}

/** Everything that one answer needs. */
interface Call {
  wire: Wire;
  request: ModelRequest;
  options: StreamOptions;
  target: Target;
  idleMs: number;
  maxRetries: number;
  timing: Timing;
  /** Why there is no point in sending. */
  obstacle: ProviderFailure | undefined;
  write(): string;
  send(json: string, signal: AbortSignal): Promise<Response>;
}

async function* converse(call: Call): AsyncGenerator<EventBatch, void, undefined> {
  const { options, target } = call;
  yield [{ type: "start" }];
  if (call.obstacle !== undefined) {
    yield [failed(newDraft(call), call.obstacle, target)];
    return;
  }
  const json = call.write();
  for (let number = 1; ; number += 1) {
    const draft = newDraft(call);
    const attempt = newAttempt(call, draft, json);
    try {
      while (attempt.outcome === undefined) yield whileRunning(attempt, await attempt.read());
    } finally {
      attempt.close();
    }
    const { outcome } = attempt;
    if (outcome === "aborted" || options.signal?.aborted) {
      yield [{ type: "error", message: draft.message("aborted") }];
      return;
    }
    if (!isFailure(outcome)) {
      yield [{ type: "done", message: outcome }];
      return;
    }
    if (!mayRetry(outcome, draft, number, call.maxRetries)) {
      yield [failed(draft, outcome, target)];
      return;
    }
    const delayMs = retryDelayMs(number, outcome.retryAfterMs, call.timing.random());
    yield [{ type: "retry", attempt: number, delayMs, error: `${failureText(outcome, target).what}.` }];
    await call.timing.wait(delayMs, options.signal);
  }
}

/** Nothing of a chunk is shown any more once the request was ended from our side. */
function* whileRunning(attempt: Attempt, events: readonly StreamEvent[]): Generator<StreamEvent, void, undefined> {
  for (const event of events) {
    if (attempt.isStopped) return;
    yield event;
  }
}

function newDraft({ target, request }: Call): MessageDraft {
  return new MessageDraft(target.model, (callId) => hasResult(request, callId));
}

/** The terminal event of an answer that failed, with what had come of it. */
function failed(draft: MessageDraft, failure: ProviderFailure, target: Target): StreamEvent {
  const { what, advice } = failureText(failure, target);
  const said = { errorMessage: `${what}. ${advice}.`, errorKind: failure.kind };
  return { type: "error", message: { ...draft.message("error"), ...said } };
}

function newAttempt(call: Call, draft: MessageDraft, json: string): Attempt {
  return new Attempt({
    draft,
    reader: call.wire.createReader(draft),
    send: (signal) => call.send(json, signal),
    idleMs: call.idleMs,
    ...(call.options.signal === undefined ? {} : { signal: call.options.signal }),
  });
}

function mayRetry(failed: ProviderFailure, draft: MessageDraft, attempts: number, maxRetries: number): boolean {
  const limit = failed.cause.type === "empty" ? Math.min(emptyRetries, maxRetries) : maxRetries;
  return failed.isRetryable && !draft.hasBegun && attempts <= limit;
}

function obstacleOf(connection: Connection, headers: Record<string, string>, wire: Wire): ProviderFailure | undefined {
  const { baseUrl, apiKey } = connection;
  if (!URL.canParse(baseUrl)) return failure("network", { type: "unreachable", message: "not a URL" });
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const hasCredential = apiKey !== undefined || names.includes("authorization") || names.includes("x-api-key");
  // Servers of one's own often ask for no key; the provider's own always does.
  if (!hasCredential && baseUrl === wire.defaultBaseUrl) return failure("auth", { type: "missingKey" });
  return undefined;
}

function hasResult({ messages }: ModelRequest, callId: string): boolean {
  return messages.some((message) => message.role === "toolResult" && message.callId === callId);
}

/** Lets the host see and replace the body. Without either, the text is sent as it was joined. */
function prepare(json: string, options: StreamOptions): string {
  if (options.onRequest === undefined && options.rewriteRequest === undefined) return json;
  const written: unknown = JSON.parse(json);
  const body = options.rewriteRequest === undefined ? written : options.rewriteRequest(written);
  options.onRequest?.(body);
  return options.rewriteRequest === undefined ? json : wellFormedJson(body);
}

async function reportResponse(sent: Promise<Response>, { onResponse }: StreamOptions): Promise<Response> {
  if (onResponse === undefined) return sent;
  try {
    const response = await sent;
    onResponse(response.status, Object.fromEntries(response.headers));
    return response;
  } catch (error) {
    if (error instanceof Error && "status" in error && typeof error.status === "number") {
      const headers = "headers" in error && error.headers instanceof Headers ? error.headers : new Headers();
      onResponse(error.status, Object.fromEntries(headers));
    }
    throw error;
  }
}
