import type { AuthProvider, FetchLike, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { HttpLaunch } from "./configuration.ts";
import { type Guard, guardTransport } from "./guardedTransport.ts";
import { maxMessageBytes } from "./stdioTransport.ts";

export interface HttpOptions {
  Transport: typeof StreamableHTTPClientTransport;
  launch: HttpLaunch;
  guard: Omit<Guard, "endReason">;
  /** Absent where the definition's own headers say who asks. */
  authProvider?: AuthProvider;
}

/** A server that is reached by streamable HTTP. It follows redirects only within its origin, so that headers stay there. */
export function httpTransport({ Transport, launch, guard, authProvider }: HttpOptions): StreamableHTTPClientTransport {
  const { url, headers } = launch;
  let endReason: string | undefined;
  const onTooLong = (text: string) => {
    endReason = text;
  };
  const transport = new Transport(new URL(url), {
    ...{ requestInit: { headers }, fetch: boundedFetch(maxMessageBytes, { onTooLong }) },
    ...(authProvider !== undefined && { authProvider }),
  });
  const takeReason = () => {
    const reason = endReason;
    endReason = undefined;
    return reason;
  };
  return guardTransport(transport, { ...guard, endReason: takeReason });
}

/** Fails a response in which one message is longer than so many bytes: a stream may have any number of messages. */
export function boundedFetch(maxBytes: number, { onTooLong }: { onTooLong?(text: string): void } = {}): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
    const bounded = response.body.pipeThrough(byteLimit({ maxBytes, isStream, onTooLong }));
    const { status, statusText, headers } = response;
    const copy = new Response(bounded, { status, statusText, headers });
    // What a redirect led to is judged by it.
    Object.defineProperties(copy, { url: { value: response.url }, redirected: { value: response.redirected } });
    return copy;
  };
}

/** In a stream, messages end with a line; otherwise all of it is one. */
function byteLimit({
  maxBytes,
  isStream,
  onTooLong,
}: {
  maxBytes: number;
  isStream: boolean;
  onTooLong: ((text: string) => void) | undefined;
}): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const lineEnd = isStream ? chunk.lastIndexOf(10) : -1;
      bytes = lineEnd >= 0 ? chunk.length - lineEnd : bytes + chunk.length;
      if (bytes > maxBytes) {
        const text = `The server sent more than ${Math.round(maxBytes / 1_048_576)} MB at once.`;
        onTooLong?.(text);
        throw new Error(text);
      }
      controller.enqueue(chunk);
    },
  });
}
