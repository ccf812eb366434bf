/** An MCP server as others write them, over stdio or, with the argument `http`, over HTTP: its first line of output is its address then. */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

function build(): McpServer {
  const server = new McpServer({ name: "regular", version: "1.0.0" });
  server.registerTool(
    "echo",
    {
      description: "Says it again.",
      inputSchema: z.object({ text: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ text: said }) => text(`You said: ${said}`),
  );
  server.registerTool(
    "weather",
    { description: "Tells the weather.", outputSchema: z.object({ degrees: z.number() }) },
    () => ({ content: [], structuredContent: { degrees: 21 } }),
  );
  server.registerTool("picture", { description: "Paints.", annotations: { destructiveHint: true } }, () => ({
    content: [
      { type: "image" as const, data: pixel, mimeType: "image/png" },
      { type: "resource_link" as const, uri: "note://1", name: "Note" },
      { type: "resource" as const, resource: { uri: "note://2", text: "Two" } },
    ],
  }));
  server.registerTool("fail", { description: "Fails." }, () => ({ ...text("It broke."), isError: true }));
  server.registerTool("slow", { description: "Takes long, and says how far it is." }, async (context) => {
    const token = context.mcpReq._meta?.progressToken;
    for (let done = 1; done <= 100 && !context.mcpReq.signal.aborted; done++) {
      if (token !== undefined) {
        const params = { progressToken: token, progress: done, total: 100, message: `step ${done}` };
        await context.mcpReq.notify({ method: "notifications/progress", params });
      }
      await delay(50);
    }
    console.error(context.mcpReq.signal.aborted ? "slow was canceled" : "slow is done");
    return text("Done.");
  });
  server.registerTool("environment", { description: "Shows its environment." }, () =>
    text(JSON.stringify(process.env)),
  );
  server.registerTool("spawn", { description: "Starts a process that goes on alone." }, () => {
    const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    child.unref();
    return text(String(child.pid));
  });
  server.registerTool("crash", { description: "Ends at once." }, () => process.exit(3));
  server.registerTool("grow", { description: "Offers one more tool." }, () => {
    server.registerTool("grown", { description: "New." }, () => text("new"));
    return text("ok");
  });
  server.registerTool("ask", { description: "Asks the user." }, async (context) => {
    const answer = await context.mcpReq.elicitInput({
      message: "Order what?",
      requestedSchema: {
        type: "object",
        properties: {
          drink: { type: "string", enum: ["tea", "coffee"] },
          cups: { type: "integer", title: "How many" },
          now: { type: "boolean" },
        },
        required: ["drink", "cups"],
      },
    });
    return text(JSON.stringify(answer));
  });
  server.registerTool("askSecret", { description: "Asks for a secret." }, async (context) => {
    const requestedSchema = {
      type: "object" as const,
      properties: { value: { type: "string" as const, title: "Password" } },
    };
    return text(JSON.stringify(await context.mcpReq.elicitInput({ message: "Log in", requestedSchema })));
  });
  server.registerTool(
    "askFor",
    {
      description: "Asks for what it is given, so often at once.",
      inputSchema: z.object({ message: z.string(), field: z.record(z.string(), z.unknown()), times: z.number() }),
    },
    async ({ message, field, times }, context) => {
      const requestedSchema = { type: "object" as const, properties: { value: field as { type: "string" } } };
      const ask = () => context.mcpReq.elicitInput({ message, requestedSchema });
      const answers = await Promise.all(Array.from({ length: times }, ask));
      return text(answers.map(({ action }) => action).join(" "));
    },
  );
  server.registerTool("sample", { description: "Asks the model." }, async (context) => {
    const { content } = await context.mcpReq.requestSampling({
      messages: [{ role: "user", content: { type: "text", text: "What is 6 times 7?" } }],
      systemPrompt: "Be brief.",
      maxTokens: 100,
    });
    return text(`The model says ${JSON.stringify(content)}`);
  });
  server.registerTool("roots", { description: "Lists the folders." }, async () =>
    text(JSON.stringify(await server.server.listRoots())),
  );
  server.registerPrompt(
    "greet",
    { description: "Greets somebody.", argsSchema: z.object({ name: z.string() }) },
    ({ name }) => ({
      messages: [{ role: "user" as const, content: { type: "text" as const, text: `Greet ${name}.` } }],
    }),
  );
  server.registerPrompt(
    "travel",
    { description: "Plans a journey.", argsSchema: z.object({ from: z.string(), to: z.string() }) },
    ({ from, to }) => ({
      messages: [{ role: "user" as const, content: { type: "text" as const, text: `From ${from} to ${to}` } }],
    }),
  );
  server.registerResource("note", "note://1", { description: "A note." }, (uri) => ({
    contents: [{ uri: uri.href, text: "Buy milk." }],
  }));
  return server;
}

if (process.argv.includes("http")) {
  const handler = createMcpHandler(build);
  const http = createServer(async (request, response) => {
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" ? [[name, value]] : [],
    );
    if (request.url === "/moved") return response.writeHead(307, { location: "http://127.0.0.1:9/mcp" }).end();
    if (process.argv.includes("locked") && request.headers.authorization !== "Bearer secret")
      return response.writeHead(401).end();
    const hasBody = request.method === "POST";
    const answer = await handler.fetch(
      new Request(`http://${request.headers.host}${request.url}`, {
        headers,
        method: request.method ?? "GET",
        ...(hasBody && { body: Readable.toWeb(request) as ReadableStream<Uint8Array>, duplex: "half" as const }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) return response.end();
    return Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]).pipe(response);
  });
  http.listen(0, "127.0.0.1", () => {
    const address = http.address();
    console.log(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/mcp`);
  });
} else {
  serveStdio(build);
}
