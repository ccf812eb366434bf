import { once } from "node:events";
import { createServer, request } from "node:http";
import { connect } from "node:net";

/** An HTTP proxy on the loopback interface that leads to one server, whichever was asked for. */
export interface LoopbackProxy {
  readonly url: string;
  /** The hosts that were asked for, in order. */
  readonly asked: string[];
  stop(): Promise<void>;
}

export async function startLoopbackProxy(target: string): Promise<LoopbackProxy> {
  const { hostname, port } = new URL(target);
  const asked: string[] = [];
  const server = createServer((incoming, response) => {
    const { host, pathname, search } = new URL(incoming.url ?? "/", target);
    asked.push(host);
    const { method, headers } = incoming;
    const outgoing = request({ hostname, port, path: pathname + search, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.on("connect", (incoming, client) => {
    asked.push(incoming.url ?? "");
    const tunnel = connect(Number(port), hostname, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      tunnel.pipe(client);
      client.pipe(tunnel);
    });
    tunnel.on("error", () => client.destroy());
    client.on("error", () => tunnel.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The proxy has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
