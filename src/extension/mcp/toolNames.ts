import * as z from "zod";

/** Stand for the tools of MCP servers where those are too many to be shown to a model one by one. */
export const findToolsName = "find_tools";
export const useToolName = "use_tool";

export const useToolArguments = z.object({
  name: z.string().describe("Like server__tool."),
  arguments: z.record(z.string(), z.unknown()).default({}),
});

/** What a server calls itself and a tool. Models may have another name for it: one that fits, and is no other tool's. */
export interface ToolOrigin {
  server: string;
  tool: string;
}

/** A tool by its name for models. Without an origin its server and it are called as that name says. */
export interface NamedTool {
  name: string;
  origin?: ToolOrigin;
}

/** Whether a tool is of an MCP server: no other has two low lines within its name. */
export function isMcpTool(name: string): boolean {
  return name === findToolsName || name === useToolName || isServerTool(name);
}

function isServerTool(name: string): boolean {
  return /.__/.test(name);
}

/** What a call calls: by way of `use_tool` the tool that it names, with that one's arguments. */
export function calledTool(name: string, args: unknown): { name: string; args: unknown; isFolded: boolean } {
  const used = name === useToolName ? useToolArguments.safeParse(args).data : undefined;
  if (used === undefined) return { name, args, isFolded: false };
  return { name: used.name, args: used.arguments, isFolded: true };
}

/** Of letters, digits, `_` and `-`, as models take the name of a tool, and as other programs write those of servers. */
export function plainToolName(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, "_");
}

/** Whether a name in a list of tools is written as one of a server's tools, or of all of them, is. */
export function isServerToolName(written: string): boolean {
  return written.startsWith("mcp__") || written.indexOf("/") > 0 || isServerTool(written);
}

/**
 * Whether a name in a list of tools means a server's tool, alone or with others: `mcp__server__tool`, `server/tool` and
 * `server__tool` mean one, `mcp__server` all of a server, and a `*` at the end whatever begins so. Letter case does not
 * matter: what a list denies must not be had by way of a capital letter.
 */
export function serverToolNamed(written: string, tool: NamedTool): "one" | "several" | undefined {
  if (!isServerTool(tool.name)) return undefined;
  const { server, tool: own } = originOf(tool);
  const pairs = [
    [server, own],
    [plainToolName(server), plainToolName(own)],
  ] as const;
  const ofTool = [tool.name, `mcp__${tool.name}`];
  for (const [of, name] of pairs) ofTool.push(`mcp__${of}__${name}`, `${of}__${name}`, `${of}/${name}`);
  const wanted = written.toLowerCase();
  if (wanted.endsWith("*")) {
    const start = wanted.slice(0, -1);
    return ofTool.some((name) => name.toLowerCase().startsWith(start)) ? "several" : undefined;
  }
  if (ofTool.some((name) => name.toLowerCase() === wanted)) return "one";
  return pairs.some(([of]) => `mcp__${of}`.toLowerCase() === wanted) ? "several" : undefined;
}

/** What Claude Code calls a server's tool, the most usual first; nothing for another tool. */
export function mcpAliases(tool: NamedTool): string[] {
  if (!isServerTool(tool.name)) return [];
  const { server, tool: own } = originOf(tool);
  return [...new Set([`mcp__${plainToolName(server)}__${plainToolName(own)}`, `mcp__${tool.name}`])];
}

function originOf({ name, origin }: NamedTool): ToolOrigin {
  const end = name.indexOf("__", 1);
  return origin ?? { server: name.slice(0, end), tool: name.slice(end + 2) };
}
