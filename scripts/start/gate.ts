/** Lets only who has the printed address reach an editor that is served on this machine. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";

export interface Gate {
  /** `127.0.0.1:PORT` */
  readonly authority: string;
  /** The same address with the token, for the one browser that may enter. */
  enter(url: string): string;
  close(): Promise<void>;
}

const tokenParameter = "tkn";

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function cookieOf({ headers }: IncomingMessage, name: string): string {
  const cookies = (headers.cookie ?? "").split(";").map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
}

/**
 * Forwards to the server that listens on the unix socket `socketPath`, on `port` of the loopback interface (0: any).
 * A request needs the token as a cookie, which the address of `enter` sets. Its Host has to be the address itself: a
 * page that has made its own name point to this machine (DNS rebinding) sends another one. So does its Origin, if any.
 */
export async function openGate(socketPath: string, port: number): Promise<Gate> {
  const token = randomBytes(24).toString("base64url");
  const server = createServer();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const authority = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Browsers send a cookie to every port of a host.
  const cookie = `arbor-start-${authority.split(":")[1]}`;

  const isForUs = ({ headers }: IncomingMessage) =>
    headers.host === authority && (headers.origin === undefined || headers.origin === `http://${authority}`);
  const mayPass = (request: IncomingMessage) => isForUs(request) && isSame(cookieOf(request, cookie), token);

  server.on("request", (request, response) => {
    const url = new URL(request.url ?? "/", `http://${authority}`);
    const given = url.searchParams.get(tokenParameter);
    if (isForUs(request) && given !== null && isSame(given, token)) {
      url.searchParams.delete(tokenParameter);
      response.writeHead(302, {
        "Set-Cookie": `${cookie}=${token}; Path=/; HttpOnly; SameSite=Strict`,
        Location: `${url.pathname}${url.search}`,
      });
      response.end();
    } else if (mayPass(request)) forward(request, response, socketPath);
    else refuse(response);
  });
  const tunnels = new Set<Duplex>();
  server.on("upgrade", (request, socket, head) => {
    if (!mayPass(request)) {
      socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
      return;
    }
    tunnels.add(socket);
    socket.once("close", () => tunnels.delete(socket));
    tunnel(request, socket, head, socketPath);
  });
  return {
    authority,
    enter: (url) => {
      const entry = new URL(url);
      entry.searchParams.set(tokenParameter, token);
      return entry.href;
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      for (const socket of tunnels) socket.destroy();
      await closed;
    },
  };
}

function refuse(response: ServerResponse): void {
  response.writeHead(403, { "Content-Type": "text/plain; charset=utf-8" });
  response.end("Open the whole address that npm start has printed, with its token.\n");
}

function forward(request: IncomingMessage, response: ServerResponse, socketPath: string): void {
  const { method, url, headers } = request;
  const onward = httpRequest({ socketPath, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.once("error", () => {
    if (!response.headersSent) response.writeHead(502);
    response.end();
  });
  response.once("close", () => onward.destroy());
  request.pipe(onward);
}

/** Passes a web socket on: the request as it came, then whatever either side sends. */
function tunnel(request: IncomingMessage, socket: Duplex, head: Buffer, socketPath: string): void {
  const onward = connect(socketPath, () => {
    const lines = [`${request.method} ${request.url} HTTP/1.1`];
    for (let index = 0; index < request.rawHeaders.length; index += 2) {
      lines.push(`${request.rawHeaders[index]}: ${request.rawHeaders[index + 1]}`);
    }
    onward.write(`${lines.join("\r\n")}\r\n\r\n`);
    onward.write(head);
    onward.pipe(socket).pipe(onward);
  });
  onward.once("error", () => socket.destroy());
  onward.once("close", () => socket.destroy());
  socket.once("error", () => onward.destroy());
  socket.once("close", () => onward.destroy());
}
