import { type Connection, noKeyHeaders, type Post } from "./wire.ts";

/** OpenAI's SDK, for one of its paths. */
export async function connectOpenai({ baseUrl, apiKey, timeoutMs, fetch }: Connection, path: string): Promise<Post> {
  const { default: OpenAI } = await import("openai");
  const client = new OpenAI({
    // Always given: the SDK would look for them in the environment.
    apiKey: apiKey ?? "none",
    adminAPIKey: null,
    baseURL: baseUrl,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: "off",
    fetch,
    ...(apiKey === undefined ? { defaultHeaders: noKeyHeaders } : {}),
  });
  return (json, { headers, signal }) =>
    client
      .post(path, { body: json, headers: { "content-type": "application/json", ...headers }, signal, stream: true })
      .asResponse();
}
