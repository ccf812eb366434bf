import * as http from "node:http";
import { connect, isIP, type Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { t } from "@vscode/l10n";
import { type FetchAddress, judgeAddress } from "../fetching/address.ts";
import { type Lookup, PrivateAddressError, safeLookup } from "../fetching/safeLookup.ts";

/** What decides which hosts a command in the sandbox may reach. */
export interface HostGate {
  /** Asked before the first connection to each host. The signal ends with the command. */
  allow(address: FetchAddress, signal: AbortSignal): Promise<boolean>;
  /** So many hosts it is asked about. Default: as many as a user can be asked about by one command. */
  maxHosts?: number;
  lookup?: Lookup;
}

/** An HTTP proxy for one command, on a socket that is a file. */
export interface HostProxy {
  readonly socket: string;
  /** The hosts that it did not reach because that was not allowed. */
  readonly refused: readonly string[];
  close(): void;
}

/** So many hosts one command may have the user asked for: a program could make up any number of names. */
const maxAsked = 10;
/** That are remembered by name. */
const maxRefused = 100;
const maxConnections = 200;

class Refusal extends Error {}

/** Starts a proxy that reaches the hosts that its gate allows: https through tunnels, http by requests. */
export async function startHostProxy(
  socket: string,
  { allow, lookup, maxHosts = maxAsked }: HostGate,
): Promise<HostProxy> {
  const end = new AbortController();
  const answers = new Map<string, Promise<boolean>>();
  const refused = new Set<string>();
  const sockets = new Set<Duplex>();

  function mayReach(address: FetchAddress): Promise<boolean> {
    // To go on unencrypted is another question.
    const key = `${address.url.protocol}//${address.host} ${address.isPrivate} ${address.leadsTo ?? ""}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    if (answers.size >= maxHosts) return Promise.resolve(false);
    // The answer holds for all of the host, so it is not asked for one page.
    const answer = allow({ ...address, url: new URL("/", address.url) }, end.signal).catch(() => false);
    answers.set(key, answer);
    return answer;
  }

  async function open(address: FetchAddress): Promise<Socket> {
    if (!(await mayReach(address))) {
      if (refused.size < maxRefused) refused.add(address.host);
      throw new Refusal(`The user did not allow ${address.host}.`);
    }
    end.signal.throwIfAborted();
    try {
      const opened = await connected(address, lookup);
      sockets.add(opened.once("close", () => sockets.delete(opened)));
      return opened;
    } catch (error) {
      if (!(error instanceof PrivateAddressError) || address.isPrivate) throw error;
      const concern = t("Its name leads to {0}.", error.address);
      return open({ ...address, isPrivate: true, leadsTo: error.address, concerns: [...address.concerns, concern] });
    }
  }

  const server = http.createServer((incoming, response) => {
    forward(incoming, response, open).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(statusOf(error), { connection: "close" });
      response.end(textOf(error));
    });
  });
  server.on("connect", (incoming, client: Duplex, head) => {
    sockets.add(client.once("close", () => sockets.delete(client)));
    client.on("error", () => client.destroy());
    tunnel(incoming.url ?? "", { client, head }, open).catch((error: unknown) => {
      const status = statusOf(error);
      const head = `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n`;
      client.end(`${head}${textOf(error)}`);
    });
  });
  server.maxConnections = maxConnections;
  server.listen(socket);
  await new Promise((resolve, reject) => server.once("listening", () => resolve(undefined)).once("error", reject));
  // A connection that can't be accepted is the program's trouble alone.
  server.on("error", () => {});
  server.unref();
  return {
    socket,
    get refused() {
      return [...refused];
    },
    close() {
      end.abort();
      server.closeAllConnections();
      server.close();
      for (const each of sockets) each.destroy();
    },
  };
}

type Open = (address: FetchAddress) => Promise<Socket>;

/** To exactly the addresses that were judged. */
function connected({ url, isPrivate, leadsTo }: FetchAddress, lookup: Lookup | undefined): Promise<Socket> {
  const find = safeLookup(isPrivate, leadsTo === undefined ? lookup : async () => [leadsTo]);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, ...(isIP(host) === 0 && { lookup: find }) });
    socket.once("connect", () => resolve(socket)).once("error", reject);
  });
}

/** What goes through it is the program's and the host's own: most often TLS, which this machine can't read. */
async function tunnel(target: string, { client, head }: { client: Duplex; head: Buffer }, open: Open): Promise<void> {
  if (!/^(?:[\w.-]+|\[[\da-f:.]+\]):\d{1,5}$/i.test(target)) throw new SyntaxError("No host and port.");
  const host = await open(judgeAddress(`https://${target}/`));
  host.on("error", () => client.destroy());
  client.on("close", () => host.destroy());
  if (client.destroyed) {
    // The program closed it while the user was asked.
    host.destroy();
    return;
  }
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  host.write(head);
  host.pipe(client);
  client.pipe(host);
}

async function forward(incoming: http.IncomingMessage, response: http.ServerResponse, open: Open): Promise<void> {
  const address = judgeAddress(incoming.url ?? "");
  if (address.url.protocol !== "http:") throw new SyntaxError("No address of a page.");
  const socket = await open(address);
  if (response.destroyed) {
    socket.destroy();
    return;
  }
  const { "proxy-connection": _, "proxy-authorization": __, ...headers } = incoming.headers;
  const outgoing = http.request({
    createConnection: () => socket,
    path: address.url.pathname + address.url.search,
    method: incoming.method ?? "GET",
    // The host that was asked about, whatever the program says in its headers.
    headers: { ...headers, host: address.host, connection: "close" },
  });
  response.on("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) =>
    outgoing.once("response", resolve).on("error", reject),
  );
  response.writeHead(answer.statusCode ?? 502, { ...answer.headers, connection: "close" });
  // Where the answer breaks off, the program must not wait for the rest.
  pipeline(answer, response, () => {});
}

function statusOf(error: unknown): 400 | 403 | 502 {
  if (error instanceof Refusal) return 403;
  return error instanceof SyntaxError || (error instanceof Error && error.name === "ToolError") ? 400 : 502;
}

function textOf(error: unknown): string {
  return `${error instanceof Error ? error.message : String(error)}\n`;
}
