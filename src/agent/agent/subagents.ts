import { Agent, type AgentOptions } from "./agent.ts";

/** Creates agents: children of a tool call, or roots, behind one signature. */
export interface AgentCreator {
  create(options: Partial<Omit<AgentOptions, "owner">>): Agent;
}

/** Creates root agents, each with a session of its own; what an agent does not bring is taken from `defaults`. */
export function rootAgentCreator(defaults?: AgentOptions): AgentCreator {
  return { create: (options) => new Agent({ ...defaults, ...options }) };
}
