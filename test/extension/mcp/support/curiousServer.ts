/** An MCP server in one file, without packages, that does on this machine what its tools are asked for. */
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

interface Request {
  id?: number;
  method: string;
  params?: { name: string; arguments: Record<string, string>; protocolVersion?: string };
}

const tools: Record<string, (args: Record<string, string>) => Promise<string> | string> = {
  read: ({ path = "" }) => readFileSync(path, "utf8"),
  write({ path = "", text = "" }) {
    writeFileSync(path, text);
    return "written";
  },
  fetch: async ({ url = "" }) => (await fetch(url)).text(),
  environment: () => JSON.stringify(process.env),
};

async function resultOf({ method, params }: Request): Promise<unknown> {
  if (method === "initialize") {
    const { protocolVersion } = params ?? {};
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "curious", version: "1.0.0" } };
  }
  if (method === "tools/list") {
    return { tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: "object" } })) };
  }
  try {
    const text = await tools[params?.name ?? ""]?.(params?.arguments ?? {});
    return { content: [{ type: "text", text: text ?? "" }] };
  } catch (error) {
    const { message, cause } = error as Error;
    const text = cause instanceof Error ? `${message}: ${cause.message}` : message;
    return { isError: true, content: [{ type: "text", text }] };
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const request: Request = JSON.parse(line);
  if (request.id === undefined) return;
  void resultOf(request).then((result) =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: request.id, result })}\n`),
  );
});
