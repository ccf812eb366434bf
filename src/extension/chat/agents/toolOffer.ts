import type { Agent, AgentTool } from "../../../agent/index.ts";
import { isEditTool } from "../../tools/index.ts";

/**
 * Gives an agent the tools of the editor that it may have now, and takes those that it may not: trust in the workspace
 * and the mode may have changed since its last run. What else it has stays. `all` are those that the editor may ever
 * offer.
 */
export function offerTools(agent: Agent, offered: readonly AgentTool[], all: readonly AgentTool[]): void {
  const ofEditor = new Set(all.map(nameOf));
  const wanted = new Set(offered.map(nameOf));
  const present = agent.state.tools.filter((tool) => ofEditor.has(nameOf(tool)));
  for (const tool of present) if (!wanted.has(nameOf(tool))) agent.removeTool(tool.name);
  const known = new Set(present.map(nameOf));
  // Each is put before the others.
  for (const tool of offered.toReversed()) if (!known.has(nameOf(tool))) agent.addTool(tool);
}

/** Of the two edit tools an agent has one, which its model decides. */
function nameOf({ name }: AgentTool): string {
  return isEditTool(name) ? "edit_file" : name;
}
