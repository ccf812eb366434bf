import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What a path answers: JSON of a value, or whatever the function writes. */
export type Route = ((response: ServerResponse, request: IncomingMessage, body: string) => void) | object;

interface ReceivedRequest {
  method: string;
  /** With its query. */
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** A server on loopback that answers by path; what it does not know is 404. */
export interface JsonServer {
  readonly origin: string;
  /** What was asked, oldest first. */
  readonly requests: ReceivedRequest[];
  /** By path without query. */
  routes: Record<string, Route>;
  stop(): Promise<void>;
}

export async function startJsonServer(routes: Record<string, Route> = {}): Promise<JsonServer> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = "", url = "", headers } = request;
      requests.push({ method, url, headers, body });
      const route = started.routes[url.replace(/\?.*/, "")];
      if (typeof route === "function") return route(response, request, body);
      response.writeHead(route === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(route ?? { error: "not found" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  const started: JsonServer = {
    origin: `http://127.0.0.1:${port}`,
    requests,
    routes,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return started;
}
