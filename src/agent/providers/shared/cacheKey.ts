import type { StreamOptions } from "../../vocabulary/model.ts";

const maxLength = 64;

/** Leads the requests of a session to where OpenAI keeps the work on their common prefix. JSON text, if there is a key. */
export function cacheKey({ sessionId }: StreamOptions): string | undefined {
  return sessionId === undefined ? undefined : JSON.stringify(sessionId.slice(0, maxLength));
}
