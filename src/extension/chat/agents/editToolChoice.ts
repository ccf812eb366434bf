import type { Agent, AgentTool } from "../../../agent/index.ts";
import { editToolNames } from "../../tools/index.ts";

/** Gives an agent that edits the edit tool that its model knows best, in place of the other one. */
export function chooseEditTool(agent: Agent, edit: AgentTool): void {
  const present = agent.state.tools.find((tool) => editToolNames.some((name) => name === tool.name));
  // The same tools in the same order keep what the provider has cached of the request.
  if (present === undefined || present.name === edit.name) return;
  agent.removeTool(present.name);
  agent.addTool(edit);
}
