import { createHash } from "node:crypto";
import type { CallToolResult, Tool } from "@modelcontextprotocol/client";
import type { ToolDefinition } from "../../agent/vocabulary/messages.ts";
import { type AgentTool, jsonSchemaTool, type ToolContext } from "../../agent/vocabulary/tools.ts";
import type { AskPermission, McpPermission } from "../approvals/permission.ts";
import { visibleText } from "../approvals/requestText.ts";
import { ToolError } from "../common/userError.ts";
import { declined } from "../tools/refusal.ts";
import { type ResultOrigin, toolResultOf } from "./callResult.ts";
import type { CallOptions } from "./mcpServer.ts";
import type { Caller } from "./serverRequests.ts";
import { plainToolName, type ToolOrigin } from "./toolNames.ts";

/** What models take for the name of a tool. */
const maxNameLength = 64;
const maxDescriptionLength = 2_000;
const maxSchemaLength = 20_000;
/** So often a call shows its progress, however often the server reports it. */
const progressMs = 250;

/** What the user allowed last, of each tool: a server that describes it otherwise since is asked about again. */
interface AllowedTools {
  read(): Readonly<Record<string, string>>;
  write(versions: Readonly<Record<string, string>>): Promise<void>;
}

export interface McpToolParts extends Pick<ResultOrigin, "outputs"> {
  askPermission: AskPermission;
  /** Puts a question of the server's to the user. */
  ask: Caller["ask"];
  subAgentParts: Caller["subAgentParts"];
  allowed: AllowedTools;
  /** Names that tools of others have. Those of these tools are added. */
  taken?: Set<string>;
}

/** Who offers tools, and is asked about like an MCP server. */
export interface ToolSource {
  /** Absent: an MCP server. */
  readonly kind?: "extension";
  readonly definition: { readonly id: string; readonly name: string };
  readonly offers: { readonly tools: readonly Tool[] };
  /** Throws a `ToolError` for what is its own fault. */
  callTool(name: string, args: Record<string, unknown>, options: CallOptions): Promise<CallToolResult>;
}

/** Who it is, for models. */
function originOf({ kind, definition }: ToolSource): string {
  return kind === "extension" ? `the extension ${definition.name}` : `the MCP server ${definition.name}`;
}

/** The tools of servers for models, each named `server__tool`. The same servers give the same tools in the same order. */
export function toolsOfServers(servers: readonly ToolSource[], parts: McpToolParts): AgentTool[] {
  const names = parts.taken ?? new Set<string>();
  return servers.flatMap((server) =>
    server.offers.tools.map((tool) => agentTool(server, tool, { parts, name: uniqueName(server, tool, names) })),
  );
}

/** Of letters, digits, `_` and `-`, however the server calls it, and no other tool's. */
function uniqueName(server: ToolSource, { name }: Tool, taken: Set<string>): string {
  const prefix = plainToolName(server.definition.name).slice(0, 24);
  const plain = plainToolName(name);
  const wanted = `${prefix}__${plain}`;
  const hash = hashOf([server.definition.id, name]).slice(0, 8);
  const isPlain = wanted.length <= maxNameLength && plain === name && plainToolName(server.definition.name) === prefix;
  let unique = isPlain ? wanted : `${wanted.slice(0, maxNameLength - 9)}_${hash}`;
  // Two servers, or a server's two tools, of one name.
  for (let count = 2; taken.has(unique); count++) unique = `${wanted.slice(0, maxNameLength - 12)}_${hash}${count}`;
  taken.add(unique);
  return unique;
}

function agentTool(server: ToolSource, tool: Tool, { parts, name }: { parts: McpToolParts; name: string }): AgentTool {
  const execute = (args: unknown, context: ToolContext) =>
    callTool({ server, tool, name, parts }, argumentsOf(args), context);
  const definition = definitionOf(server, tool, name);
  const origin: ToolOrigin = { server: server.definition.name, tool: tool.name };
  const label = `${server.definition.name}: ${visibleText(tool.title ?? tool.name).slice(0, 80)}`;
  try {
    // The same object: it is known by what its definition is.
    return Object.assign(jsonSchemaTool(definition, execute), { label, origin });
  } catch {
    // The server checks what it gets; a model may well guess from the description.
    const parameters = { type: "object", properties: {} };
    return Object.assign(jsonSchemaTool({ ...definition, parameters }, execute), { label, origin });
  }
}

function definitionOf(server: ToolSource, { description = "", inputSchema }: Tool, name: string): ToolDefinition {
  const text = visibleText(description);
  const cut = text.length > maxDescriptionLength ? `${text.slice(0, maxDescriptionLength)}…` : text;
  const isTooLong = JSON.stringify(inputSchema).length > maxSchemaLength;
  return {
    name,
    description: `${cut}\n(A tool of ${originOf(server)}.)`.trimStart(),
    parameters: isTooLong ? { type: "object", properties: {} } : { properties: {}, ...inputSchema },
  };
}

function argumentsOf(args: unknown): Record<string, unknown> {
  return typeof args === "object" && args !== null ? { ...args } : {};
}

interface ToolCall {
  server: ToolSource;
  tool: Tool;
  /** As models know it. */
  name: string;
  parts: McpToolParts;
}

async function callTool({ server, tool, name, parts }: ToolCall, args: Record<string, unknown>, context: ToolContext) {
  const { signal } = context;
  const request = permissionRequest({ server, tool, name, parts }, args, context);
  const answer = await parts.askPermission(request, signal);
  signal.throwIfAborted();
  if (!answer.allowed) return declined("call", answer);
  const versions = parts.allowed.read();
  if (versions[keyOf(server, tool)] !== request.version) {
    await parts.allowed.write({ ...versions, [keyOf(server, tool)]: request.version });
  }
  let shownAt = 0;
  const { ask, askPermission, subAgentParts } = parts;
  const notes = new Set<string>();
  const note = (text: string) => void notes.add(text);
  const calling = server.callTool(tool.name, args, {
    signal,
    caller: { context, toolName: name, ask, askPermission, note, subAgentParts },
    onProgress({ progress, total, message }) {
      const now = performance.now();
      if (now - shownAt < progressMs) return;
      shownAt = now;
      const done = total === undefined ? String(progress) : `${progress} / ${total}`;
      context.update({ content: message === undefined ? done : `${done}: ${visibleText(message).slice(0, 500)}` });
    },
  });
  const result = await calling.catch((error: unknown) => {
    throw error instanceof ToolError ? new ToolError([error.message, ...notes].join("\n")) : error;
  });
  return toolResultOf(result, {
    server: server.definition.name,
    origin: originOf(server),
    tool: tool.name,
    outputs: parts.outputs,
    notes: [...notes],
  });
}

function permissionRequest(
  { server, tool, name, parts }: ToolCall,
  args: Record<string, unknown>,
  { agent, callId }: ToolContext,
): McpPermission {
  const version = versionOf(tool);
  const versions = parts.allowed.read();
  const key = keyOf(server, tool);
  const isChanged = Object.hasOwn(versions, key) && versions[key] !== version;
  const { readOnlyHint, destructiveHint, openWorldHint } = tool.annotations ?? {};
  return {
    ...{ kind: "mcp", purpose: "call", agent, callId, toolName: name },
    server: server.definition.name,
    tool: tool.name,
    arguments: JSON.stringify(args, undefined, 2),
    description: tool.description ?? "",
    ...{ version, isChanged },
    claims: {
      // A hint that is missing is none; that a tool which only reads destroys something makes no sense.
      readsOnly: readOnlyHint === true,
      destroys: readOnlyHint !== true && destructiveHint === true,
      reachesOut: openWorldHint === true,
    },
  };
}

/** Of a workspace's servers and of the user's, one name may mean two. */
function keyOf({ definition }: ToolSource, { name }: Tool): string {
  return `${definition.id} ${name}`;
}

/** Differs when what the server says of the tool does. */
function versionOf({ name, title, description, inputSchema, annotations }: Tool): string {
  return hashOf([name, title, description, inputSchema, annotations]);
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);
}
