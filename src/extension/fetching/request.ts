import * as http from "node:http";
import * as https from "node:https";
import { type Lookup, safeLookup } from "./safeLookup.ts";

export interface RequestOptions {
  mayBePrivate: boolean;
  signal: AbortSignal;
  lookup?: Lookup;
}

/**
 * One GET without cookies, credentials or redirects. Node's own modules, since they are what the editor teaches the
 * user's proxy and certificates.
 */
export function request(url: URL, { mayBePrivate, signal, lookup }: RequestOptions): Promise<http.IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const send = url.protocol === "https:" ? https.request : http.request;
  send(url, {
    method: "GET",
    headers: {
      accept: "text/markdown, text/html, application/json, text/*;q=0.9, */*;q=0.5",
      "accept-encoding": "gzip, deflate, br",
      "user-agent": "Arbor",
      // Nothing is kept open between two requests.
      connection: "close",
    },
    lookup: safeLookup(mayBePrivate, lookup),
    signal,
  })
    .on("response", resolve)
    .on("error", reject)
    .end();
  return promise;
}
