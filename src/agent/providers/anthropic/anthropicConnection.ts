import { BaseAnthropic } from "@anthropic-ai/sdk/client";
import { type Connection, clientOptions, type Post, withoutEnvironment } from "../shared/wire.ts";
import { anthropicBaseUrl } from "./anthropicRequest.ts";

/**
 * Anthropic's SDK, for its Messages path. Only the client itself: the methods of its other endpoints are four fifths of
 * the SDK, and a bundler leaves them out where nothing names them.
 */
export function connectAnthropic(connection: Connection): Post {
  const options = { ...clientOptions(connection), ...keyHeaders(connection) };
  const client = withoutEnvironment("ANTHROPIC_", () => new BaseAnthropic(options));
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

/** Anthropic's own API takes the key in a header of its own; gateways take it there or, as the SDK sends it, as a token. */
function keyHeaders({ apiKey, baseUrl }: Connection) {
  if (apiKey === undefined) return {};
  const isOfficial = new URL(baseUrl).host === new URL(anthropicBaseUrl).host;
  return { defaultHeaders: { "x-api-key": apiKey, ...(isOfficial ? { authorization: null } : {}) } };
}
