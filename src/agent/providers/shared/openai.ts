import type { ImagePart } from "../../vocabulary/messages.ts";
import type { StreamOptions } from "../../vocabulary/model.ts";
import { type Connection, clientOptions, loadSdk, type Post, withoutEnvironment } from "./wire.ts";

export const loadOpenai = () => loadSdk("openai", () => import("openai"));

/** OpenAI's SDK, for one of its paths. */
export async function connectOpenai(connection: Connection, path: string): Promise<Post> {
  const { default: OpenAI } = await loadOpenai();
  const client = withoutEnvironment("OPENAI_", () => new OpenAI(clientOptions(connection)));
  return (json, { headers, signal }) =>
    client
      .post(path, { body: json, headers: { "content-type": "application/json", ...headers }, signal, stream: true })
      .asResponse();
}

const maxLength = 64;

/** Leads the requests of a session to where OpenAI keeps the work on their common prefix. JSON text, if there is a key. */
export function cacheKey({ sessionId }: StreamOptions): string | undefined {
  return sessionId === undefined ? undefined : JSON.stringify(sessionId.slice(0, maxLength));
}

/** The image as OpenAI's formats take it. */
export function dataUrl({ mimeType, data }: ImagePart): string {
  return `data:${mimeType};base64,${data}`;
}

/** Whether a schema is one that the strict mode takes: of each object all members are required, and no others allowed. */
export function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (typeof schema !== "object" || schema === null) return true;
  const { properties, required, additionalProperties, type } = schema as Record<string, unknown>;
  if (type === "object" || properties !== undefined) {
    if (typeof properties !== "object" || properties === null || additionalProperties !== false) return false;
    const names = Object.keys(properties);
    if (!Array.isArray(required) || !names.every((name) => required.includes(name))) return false;
  }
  return Object.values(schema).every(isStrictSchema);
}
