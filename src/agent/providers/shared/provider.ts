import { maxTimerMs } from "../../vocabulary/abort.ts";
import { batchedStream } from "../../vocabulary/eventBatches.ts";
import { type StreamFn, type StreamOptions, withNativeOutput } from "../../vocabulary/model.ts";
import { type Call, converse } from "./converse.ts";
import { createMasker, failure, type ProviderFailure } from "./failure.ts";
import { createJsonCache, wellFormedJson } from "./json.ts";
import { type RateLimiter, unlimited } from "./rateLimiter.ts";
import { createRepairs } from "./repair.ts";
import { type Timing, timing } from "./retry.ts";
import { betaHeader, type Connection, type Post, type Wire } from "./wire.ts";

/** What a provider needs beside the model: whom to ask, as whom, and how patiently. */
export interface ProviderConfig {
  apiKey?: string;
  /** As the SDKs take it: OpenAI's with `/v1`, Anthropic's without. */
  baseUrl?: string;
  headers?: Record<string, string>;
  fetch?: typeof fetch;
  /** Milliseconds without a single byte, from the request on, after which a request counts as lost. Default 120,000. */
  idleTimeoutMs?: number;
  /** Attempts after the first one, as long as nothing of an answer has arrived. Default 5. */
  maxRetries?: number;
  /** Makes those who ask the same provider wait together. Default: each for itself. */
  limiter?: RateLimiter;
}

const defaultIdleMs = 120_000;
const defaultRetries = 5;
/** Looked up at every request: the editor puts its proxies and certificates there, and may do so again. */
const currentFetch: typeof fetch = (...request) => globalThis.fetch(...request);

/** A `StreamFn` for one wire: keeps its connections and what was written for it. */
export function createProvider(wire: Wire, config: ProviderConfig, pace: Timing = timing): StreamFn {
  const cache = createJsonCache();
  const repairs = createRepairs();
  const posts = new Map<string, Promise<Post>>();

  function postTo(connection: Connection): Promise<Post> {
    const key = JSON.stringify([connection.baseUrl, connection.apiKey]);
    const post = posts.get(key) ?? wire.connect(connection);
    posts.set(key, post);
    return post;
  }
  return withNativeOutput((model, request, options) => {
    const baseUrl = model.baseUrl ?? config.baseUrl ?? wire.defaultBaseUrl;
    const apiKey = options.apiKey ?? config.apiKey;
    const headers = { ...config.headers, ...options.headers };
    const idleMs = Math.min(config.idleTimeoutMs ?? defaultIdleMs, maxTimerMs);
    const connection: Connection = {
      baseUrl,
      timeoutMs: idleMs,
      fetch: config.fetch ?? currentFetch,
      ...(apiKey === undefined || apiKey === "" ? {} : { apiKey }),
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
      limiter: config.limiter ?? unlimited,
      repairs,
      refused: repairs.refusedBy(baseUrl, model.id),
      obstacle: obstacleOf(connection, headers, wire),
      write: (history, fields) => {
        const json = wire.writeBody(model, history, options, { cache, baseUrl, fields });
        // What the user and the host have set wins.
        const merged = mergeHeaders(wire.writeHeaders?.(model, options, fields) ?? {}, headers);
        let body: string | undefined;
        return {
          ...{ request: history, json, headers: merged, fields },
          body: () => {
            body ??= prepare(json, options);
            return body;
          },
        };
      },
      send: async (written, signal) => {
        const post = await postTo(connection);
        return reportResponse(post(written.body(), { headers: written.headers, signal }), options);
      },
    };
    return batchedStream(() => converse(call));
  });
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

/** Values of a list that more than one has a part of, such as the betas of Anthropic's API, are joined. */
function mergeHeaders(own: Record<string, string>, given: Record<string, string>): Record<string, string> {
  const merged = { ...own };
  for (const [name, value] of Object.entries(given)) {
    const betas = name.toLowerCase() === betaHeader ? own[betaHeader] : undefined;
    if (betas !== undefined) delete merged[betaHeader];
    merged[name] = betas === undefined ? value : `${value},${betas}`;
  }
  return merged;
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
