import { type Connection, clientOptions, type Post } from "./wire.ts";

/** OpenAI's SDK, for one of its paths. */
export async function connectOpenai(connection: Connection, path: string): Promise<Post> {
  const { default: OpenAI } = await import("openai");
  const client = new OpenAI({
    ...clientOptions(connection),
    // These too it would look for.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
  });
  return (json, { headers, signal }) =>
    client
      .post(path, { body: json, headers: { "content-type": "application/json", ...headers }, signal, stream: true })
      .asResponse();
}
