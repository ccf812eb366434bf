/** Tools of MCP servers. Any client of the protocol will do: none is imported. */
import { untilAborted } from "./vocabulary/abort.ts";
import { errorText } from "./vocabulary/errors.ts";
import type { ImagePart, TextPart, ToolResult } from "./vocabulary/messages.ts";
import { type AgentTool, jsonSchemaTool, type ToolContext } from "./vocabulary/tools.ts";

/** What is needed of a connected client, as that of `@modelcontextprotocol/sdk` has it. */
export interface McpClient {
  listTools(
    params?: { cursor?: string },
    options?: { signal?: AbortSignal },
  ): Promise<{ tools: McpToolDescription[]; nextCursor?: string | undefined }>;
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    resultSchema?: undefined,
    options?: { signal?: AbortSignal },
  ): Promise<object>;
}

export interface McpToolDescription {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: object;
  annotations?: { readOnlyHint?: boolean | undefined; destructiveHint?: boolean | undefined } | undefined;
}

export interface McpToolsOptions {
  /** Put ahead of the names, where several servers have tools of one name. */
  prefix?: string;
  /** Which tools are taken; all by default. */
  filter?(tool: McpToolDescription): boolean;
  /** Which calls wait for a person. */
  needsApproval?(tool: McpToolDescription): boolean;
  /** Called for each tool that can't be used; by default the console says so. */
  onWarning?(message: string): void;
  signal?: AbortSignal;
}

/** More than any server has: one that never ends its list must not be read for ever. */
const maxPages = 100;

/** The tools of a server, for an agent. A tool whose schema makes no sense is left out; the others are not affected. */
export async function mcpTools(client: McpClient, options: McpToolsOptions = {}): Promise<AgentTool[]> {
  const { onWarning = (message) => console.warn(message), filter = () => true } = options;
  const tools: AgentTool[] = [];
  for (const description of await listTools(client, options.signal)) {
    if (!filter(description)) continue;
    try {
      tools.push(toolOf(client, description, options));
    } catch (error) {
      onWarning(`The tool "${description.name}" is left out: ${errorText(error)}`);
    }
  }
  return tools;
}

async function listTools(client: McpClient, signal = new AbortController().signal): Promise<McpToolDescription[]> {
  const found: McpToolDescription[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const listed = client.listTools(cursor === undefined ? {} : { cursor }, { signal });
    const { tools, nextCursor } = await untilAborted(listed, signal);
    found.push(...tools);
    if (nextCursor === undefined || nextCursor === "" || nextCursor === cursor) return found;
    cursor = nextCursor;
  }
  return found;
}

function toolOf(client: McpClient, described: McpToolDescription, options: McpToolsOptions): AgentTool {
  const { name, title, description = "", inputSchema } = described;
  // A JSON schema is a record of its keywords.
  const definition = { name: `${options.prefix ?? ""}${name}`, description, parameters: { ...inputSchema } };
  const tool = jsonSchemaTool(definition, (args, { signal }: ToolContext) => callTool(client, name, args, signal));
  if (title !== undefined) tool.label = title;
  if (options.needsApproval?.(described)) tool.needsApproval = true;
  return tool;
}

async function callTool(client: McpClient, name: string, args: unknown, signal: AbortSignal): Promise<ToolResult> {
  // What the schema of an MCP tool lets through is an object.
  const given = { name, arguments: (args ?? {}) as Record<string, unknown> };
  const answer = await untilAborted(client.callTool(given, undefined, { signal }), signal);
  const { content, structuredContent, isError } = answer as {
    content?: unknown;
    structuredContent?: unknown;
    isError?: unknown;
  };
  const parts = Array.isArray(content) ? content.map(partOf) : [];
  if (parts.length === 0 && structuredContent !== undefined) {
    parts.push({ type: "text", text: JSON.stringify(structuredContent) });
  }
  return {
    content: parts,
    ...(structuredContent === undefined ? {} : { details: structuredContent }),
    ...(isError === true ? { isError } : {}),
  };
}

/** A part as the model can be shown it: text and images as they are, of the rest what it is. */
function partOf(part: unknown): TextPart | ImagePart {
  const { type, text, data, mimeType, uri, resource } = (part ?? {}) as Record<string, unknown>;
  if (type === "text" && typeof text === "string") return { type, text };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string") return { type, data, mimeType };
  if (type === "resource_link") return { type: "text", text: `Resource: ${String(uri)}` };
  if (type === "resource" && typeof resource === "object" && resource !== null) {
    const held = resource as Record<string, unknown>;
    return { type: "text", text: typeof held.text === "string" ? held.text : `Resource: ${String(held.uri)}` };
  }
  return { type: "text", text: `[A part of type ${String(type)} can't be shown.]` };
}
