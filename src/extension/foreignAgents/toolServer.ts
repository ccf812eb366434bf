import { randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";
import type { ToolDefinition, ToolResultMessage } from "../../agent/vocabulary/messages.ts";
import { parseJson } from "../../agent/vocabulary/partialJson.ts";

/** What a program may call of Arbor, as it is now. */
export interface ServedTools {
  list(): readonly (ToolDefinition & { isReadOnly: boolean })[];
  /** Rejects where nothing can be called now. */
  call(name: string, args: unknown, signal: AbortSignal): Promise<Pick<ToolResultMessage, "content" | "isError">>;
}

export interface ToolServer {
  /** As the Agent Client Protocol names an MCP server. */
  readonly address: { type: "http"; name: string; url: string; headers: { name: string; value: string }[] };
  dispose(): void;
}

/** By which a program's model knows the tools. */
export const toolServerName = "arbor";

export const newToken = () => randomBytes(32).toString("base64url");

const path = "/mcp";
const sessionHeader = "mcp-session-id";
const protocolVersions = ["2025-11-25", "2025-06-18", "2025-03-26"];
const maxRequestBytes = 8 * 1_024 * 1_024;
/** A call may wait for its user for hours: what waits for it is shown that it is alive. */
const aliveMs = 15_000;

const id = z.union([z.string(), z.number()]);
const request = z.object({
  jsonrpc: z.literal("2.0"),
  id: id.optional(),
  method: z.string(),
  params: z.unknown().optional(),
});

const callParameters = z.object({
  name: z.string(),
  arguments: z.unknown().optional(),
  _meta: z.object({ progressToken: id.optional() }).nullish().catch(undefined),
});

type Id = z.infer<typeof id>;

/**
 * An MCP server on the loopback interface for one process, which alone knows its token. Written here, since it needs a
 * twentieth of the protocol, and what it answers is ours.
 */
export async function serveTools(tools: ServedTools, token = newToken()): Promise<ToolServer> {
  const open = new Map<string, AbortController>();
  const server = createServer((incoming, response) => {
    if (!isAllowed(incoming, token)) return void response.writeHead(404).end();
    if (incoming.method !== "POST") return void response.writeHead(405, { allow: "POST" }).end();
    void answer(incoming, response).catch(() => response.destroy());
  });
  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(incoming);
    const { data } = request.safeParse(parseJson(text ?? ""));
    if (data === undefined)
      return sendJson(response, 400, failure(null, -32_600, "This is no request of the protocol."));
    const { id: requestId, method, params } = data;
    // Agents that it starts may be clients of their own, which count from the same number.
    const keyOf = (callId: Id) => JSON.stringify([incoming.headers[sessionHeader], callId]);
    if (requestId === undefined) {
      const canceled = z.object({ requestId: id }).safeParse(params).data?.requestId;
      if (method === "notifications/cancelled" && canceled !== undefined) open.get(keyOf(canceled))?.abort(withdrawn());
      response.writeHead(202).end();
      return;
    }
    if (method === "tools/call") return call({ requestId, key: keyOf(requestId), params }, response);
    const result = resultOf(method, params, tools);
    const body =
      result === undefined ? failure(requestId, -32_601, `There is no ${method}.`) : success(requestId, result);
    if (method === "initialize") response.setHeader(sessionHeader, randomUUID());
    sendJson(response, 200, body);
  }

  async function call(
    { requestId, key, params }: { requestId: Id; key: string; params: unknown },
    response: ServerResponse,
  ): Promise<void> {
    const { data } = callParameters.safeParse(params);
    if (data === undefined || open.has(key)) {
      return sendJson(response, 200, failure(requestId, -32_602, "The call can't be read, or its id is in use."));
    }
    const abort = new AbortController();
    open.set(key, abort);
    // Its caller has gone.
    response.on("close", () => abort.abort(withdrawn()));
    const stopSigns = showLife(response, data._meta?.progressToken);
    try {
      const { content, isError } = await tools.call(data.name, data.arguments ?? {}, abort.signal);
      sendEvent(response, success(requestId, { content, isError }));
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      sendEvent(response, success(requestId, { content: [{ type: "text", text }], isError: true }));
    } finally {
      stopSigns();
      open.delete(key);
      response.end();
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  // An address object, since it listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    address: {
      ...{ type: "http", name: toolServerName, url: `http://127.0.0.1:${port}${path}` },
      headers: [{ name: "Authorization", value: `Bearer ${token}` }],
    },
    dispose() {
      for (const abort of open.values()) abort.abort(withdrawn());
      server.close();
      server.closeAllConnections();
    },
  };
}

/** No page of a browser, and only who knows the token. */
function isAllowed({ headers, socket, url }: IncomingMessage, token: string): boolean {
  if (headers.origin !== undefined || url !== path || headers.host !== `127.0.0.1:${socket.localPort}`) return false;
  const [given, expected] = [headers.authorization ?? "", `Bearer ${token}`].map((text) => Buffer.from(text));
  return (
    given !== undefined &&
    expected !== undefined &&
    given.length === expected.length &&
    timingSafeEqual(given, expected)
  );
}

function resultOf(method: string, params: unknown, tools: ServedTools): object | undefined {
  switch (method) {
    case "initialize": {
      const asked = z.object({ protocolVersion: z.string() }).safeParse(params).data?.protocolVersion ?? "";
      const protocolVersion = protocolVersions.includes(asked) ? asked : protocolVersions[0];
      return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "arbor", version: "1.0.0" } };
    }
    case "ping":
      return {};
    case "tools/list":
      return {
        tools: tools.list().map(({ name, description, parameters, isReadOnly }) => ({
          ...{ name, description, inputSchema: { type: "object", ...parameters } },
          annotations: { readOnlyHint: isReadOnly },
        })),
      };
    default:
      return undefined;
  }
}

/** The headers go out at once: some wait a minute for them and no longer. */
function showLife(response: ServerResponse, progressToken: Id | undefined): () => void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.flushHeaders();
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    if (progressToken === undefined) response.write(": waiting\n\n");
    else sendEvent(response, { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress } });
  }, aliveMs);
  return () => clearInterval(timer);
}

function sendEvent(response: ServerResponse, message: object): void {
  if (!response.destroyed) response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

function sendJson(response: ServerResponse, status: number, message: object): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(message));
}

const success = (requestId: Id, result: object) => ({ jsonrpc: "2.0", id: requestId, result });
const failure = (requestId: Id | null, code: number, message: string) => ({
  ...{ jsonrpc: "2.0", id: requestId },
  error: { code, message },
});

const withdrawn = () => new Error("The call was withdrawn.");

/** Undefined where it is too long. */
async function bodyOf(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    // Read to its end all the same, since it is answered.
    if (bytes <= maxRequestBytes) chunks.push(chunk);
  }
  return bytes > maxRequestBytes ? undefined : Buffer.concat(chunks).toString("utf8");
}
