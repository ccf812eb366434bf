import type { StreamFn } from "../../model.ts";
import type { ProviderConfig } from "../config.ts";
import { createProvider } from "../provider.ts";
import { type Connection, noKeyHeaders, type Post, type Wire } from "../wire.ts";
import { createAnthropicReader } from "./anthropicReader.ts";
import { writeAnthropicBody } from "./anthropicRequest.ts";

/** The Messages API, through Anthropic's SDK. */
export function anthropicStream(config: ProviderConfig): StreamFn {
  return createProvider(anthropicWire, config);
}

export const anthropicWire: Wire = {
  defaultBaseUrl: "https://api.anthropic.com",
  connect,
  writeBody: writeAnthropicBody,
  createReader: createAnthropicReader,
};

async function connect({ baseUrl, apiKey, timeoutMs, fetch }: Connection): Promise<Post> {
  const { default: Anthropic } = await import("@anthropic-ai/sdk");
  const client = new Anthropic({
    // Always given: the SDK would look for a key, a profile or a base URL in the environment.
    apiKey: apiKey ?? "none",
    baseURL: baseUrl,
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: "off",
    ...(apiKey === undefined ? { defaultHeaders: noKeyHeaders } : {}),
    ...(fetch === undefined ? {} : { fetch }),
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
