import type { ListFault } from "./listReading.ts";

export type JsonAnswer = { ok: true; value: unknown } | { ok: false; fault: ListFault };

/** Asks one path of a server, by GET or with a body by POST. */
export type Ask = (path: string, body?: unknown) => Promise<JsonAnswer>;

export interface JsonRequest {
  url: string;
  headers?: Record<string, string>;
  /** Sent as JSON by POST; without one it is a GET. */
  body?: unknown;
  signal: AbortSignal;
  /** From the request to the end of the body. */
  timeoutMs: number;
  maxBytes: number;
  /** Default: the global one, which goes through the editor's proxy and knows its certificates. */
  fetch?: typeof fetch;
}

/**
 * Asks a server for JSON, bounded in time and size. A redirect is not followed: the headers carry a key, and only the
 * address that the user chose may see it.
 */
export async function fetchJson(request: JsonRequest): Promise<JsonAnswer> {
  const { url, headers, body, signal, timeoutMs, maxBytes } = request;
  const limit = AbortSignal.timeout(timeoutMs);
  const stop = AbortSignal.any([signal, limit]);
  try {
    const response = await (request.fetch ?? fetch)(url, {
      headers: { accept: "application/json", ...headers, ...(body === undefined ? {} : jsonHeader) },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      redirect: "manual",
      signal: stop,
    });
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
      await discard(response);
      return faulty({ type: "redirect" });
    }
    if (!response.ok) {
      await discard(response);
      return faulty({ type: "status", status: response.status });
    }
    const text = await readText(response, maxBytes);
    return text === undefined ? faulty({ type: "tooLarge", maxBytes }) : parse(text);
  } catch (error) {
    if (signal.aborted) return faulty({ type: "aborted" });
    if (limit.aborted) return faulty({ type: "timeout", timeoutMs });
    return faulty({ type: "unreachable", message: deepestMessage(error) });
  }
}

const jsonHeader = { "content-type": "application/json" };

function faulty(fault: ListFault): JsonAnswer {
  return { ok: false, fault };
}

function parse(text: string): JsonAnswer {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return faulty({ type: text.trimStart().startsWith("<") ? "webPage" : "malformed" });
  }
}

/** The whole body as text; undefined when it is larger than the limit. */
async function readText(response: Response, maxBytes: number): Promise<string | undefined> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body.
    if (bytes > maxBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** A body that is not read would hold its connection. */
async function discard(response: Response): Promise<void> {
  await response.body?.cancel();
}

/** What lies below "fetch failed". */
function deepestMessage(error: unknown): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  if (!(deepest instanceof Error)) return String(deepest);
  return deepest.message !== "" ? deepest.message : "code" in deepest ? String(deepest.code) : deepest.name;
}
