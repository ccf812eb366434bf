import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { garbledMessages } from "./garbledMessages.ts";

const tools = [{ name: "work", description: "Works.", inputSchema: { type: "object" } }];

/** An MCP server over HTTP that does what none should; `requests` are those that it got. */
export async function hostileHttp(mode: string, elsewhere = "") {
  const requests: string[] = [];
  let calls = 0;
  const server = createServer(async (incoming, response) => {
    requests.push(`${incoming.method} ${incoming.url}`);
    if (mode === "hang") return;
    if (incoming.method !== "POST") return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await text(incoming));
    const isCall = method === "tools/call";
    if (mode === "redirect" || (mode === "redirect-call" && isCall)) {
      return void response.writeHead(307, { location: elsewhere }).end();
    }
    if (id === undefined) return void response.writeHead(202).end();
    const send = (result: object) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    };
    const stream = (lines: readonly string[], result: object) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const line of [...lines, JSON.stringify({ jsonrpc: "2.0", id, result })]) {
        response.write(`event: message\ndata: ${line}\n\n`);
      }
      response.end();
    };
    const answer = (said: string) => ({ content: [{ type: "text", text: said }] });
    if (method === "initialize") {
      const { protocolVersion } = params;
      return send({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "hostile", version: "1" } });
    }
    if (method === "tools/list") return send({ tools });
    if (!isCall) {
      response.writeHead(200, { "content-type": "application/json" });
      return void response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_601, message: "No." } }));
    }
    calls += 1;
    if (mode === "garbled") return stream(garbledMessages(calls, { open: id, count: 100 }), answer("ok"));
    if (calls > 1 || !mode.startsWith("big")) return send(answer("ok"));
    if (mode === "big-none") return void response.writeHead(200, { "content-type": "text/event-stream" }).end();
    const big = answer("x".repeat(50_000_000));
    return mode === "big-json" ? send(big) : stream([], big);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // An address object, since it listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}/mcp`, requests },
    dispose() {
      server.close();
      server.closeAllConnections();
    },
  };
}
