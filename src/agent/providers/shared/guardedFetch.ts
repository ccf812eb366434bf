/** What the SDKs send requests with: a `fetch` that leaves no server, and whose errors they understand. */
export function guardedFetch(send: typeof fetch): typeof fetch {
  return unwrapErrors(stayAtHost(send));
}

/**
 * Follows a redirect only within an origin, or from http to https at the usual ports of a host: another port may belong to
 * another program, and another user. A request has a key and headers that are meant for the server
 * whose address the user has set, and the conversation, too.
 */
function stayAtHost(fetchOnce: typeof fetch): typeof fetch {
  const send = withoutCopy(fetchOnce);
  return async (input, init) => {
    let asked: URL | undefined;
    for (let hops = 0; ; hops += 1) {
      const response = await send(asked?.href ?? input, { ...init, redirect: "manual" });
      if (!isRedirect(response)) return response;
      const url: URL = asked ?? new URL(input instanceof Request ? input.url : input);
      const location = response.headers.get("location");
      await response.body?.cancel();
      const target = location === null || !URL.canParse(location, url.href) ? undefined : new URL(location, url);
      if (target === undefined || !isSameServer(url, target) || hops === maxRedirects) return elsewhere(target);
      asked = target;
    }
  };
}

/**
 * Node copies the body of a request whose redirect it would follow or show, a whole conversation each time. One that must
 * not be redirected is sent as it is. Hardly any is redirected: that one is sent again, to learn where to.
 */
function withoutCopy(send: typeof fetch): typeof fetch {
  let isRedirected = false;
  return async (input, init) => {
    try {
      if (!isRedirected) return await send(input, { ...init, redirect: "error", window: null });
    } catch (error) {
      if (!isRefusedRedirect(error)) throw error;
      isRedirected = true;
    }
    return send(input, init);
  };
}

function isRefusedRedirect(error: unknown): boolean {
  return error instanceof Error && (/redirect/i.test(error.message) || isRefusedRedirect(error.cause));
}

const maxRedirects = 3;

function isSameServer(from: URL, to: URL): boolean {
  const isUpgrade = from.protocol === "http:" && to.protocol === "https:" && `${from.port}${to.port}` === "";
  return from.origin === to.origin || (isUpgrade && from.hostname === to.hostname);
}

/** 300, 304 and their like lead nowhere. */
function isRedirect({ status, type }: Response): boolean {
  return type === "opaqueredirect" || [301, 302, 303, 307, 308].includes(status);
}

function elsewhere(target: URL | undefined): Response {
  const where = target === undefined ? "another address" : target.origin;
  const message = `The server redirects to ${where}, where the key is not sent. If it is right, make it the base URL`;
  return Response.json({ error: { message } }, { status: 421 });
}

/** Google's server puts an error in a list, in which the SDKs do not find it. */
function unwrapErrors(send: typeof fetch): typeof fetch {
  return async (...request) => {
    const response = await send(...request);
    if (response.status < 400 || !response.headers.get("content-type")?.includes("json")) return response;
    const text = await response.text();
    const { status, statusText } = response;
    const headers = new Headers(response.headers);
    // Those of the body as it came over the wire.
    headers.delete("content-encoding");
    headers.delete("content-length");
    return new Response(firstOfList(text), { status, statusText, headers });
  };
}

function firstOfList(text: string): string {
  if (!text.trimStart().startsWith("[")) return text;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.length > 0 ? JSON.stringify(list[0]) : text;
  } catch {
    return text;
  }
}
