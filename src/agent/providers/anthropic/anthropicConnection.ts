import { BaseAnthropic } from "@anthropic-ai/sdk/client";
import { type Connection, clientOptions, type Post } from "../shared/wire.ts";

/**
 * Anthropic's SDK, for its Messages path. Only the client itself: the methods of its other endpoints are four fifths of
 * the SDK, and a bundler leaves them out where nobody names them.
 */
export function connectAnthropic(connection: Connection): Post {
  const client = new BaseAnthropic(clientOptions(connection));
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
