import { BaseAnthropic } from "@anthropic-ai/sdk/client";
import { type Connection, noKeyHeaders, type Post } from "../wire.ts";

/**
 * Anthropic's SDK, for its Messages path. Only the client itself: the methods of its other endpoints are four fifths of
 * the SDK, and a bundler leaves them out where nobody names them.
 */
export function connectAnthropic({ baseUrl, apiKey, timeoutMs, fetch }: Connection): Post {
  const client = new BaseAnthropic({
    // Always given: the SDK would look for a key, a profile or a base URL in the environment.
    apiKey: apiKey ?? "none",
    baseURL: baseUrl,
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: "off",
    fetch,
    ...(apiKey === undefined ? { defaultHeaders: noKeyHeaders } : {}),
  });
  return (json, { headers, signal }) =>
    client
      .post("/v1/messages", {
        body: json,
        headers: { "content-type": "application/json", ...headers },
        signal,
        stream: true,
      })
      .asResponse();
}
