import type { Agent, AgentOptions } from "./agent.ts";

/** Creates agents: children of a tool call, or roots, behind one signature. */
export interface AgentCreator {
  create(options: Partial<Omit<AgentOptions, "owner">>): Agent;
}
