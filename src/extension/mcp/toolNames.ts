/** Stand for the tools of MCP servers where those are too many to be shown to a model one by one. */
export const findToolsName = "find_tools";
export const useToolName = "use_tool";

/** Whether a tool is of an MCP server: no other has two low lines within its name. */
export function isMcpTool(name: string): boolean {
  return name === findToolsName || name === useToolName || /.__/.test(name);
}
