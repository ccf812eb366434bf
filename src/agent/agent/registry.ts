import type { ToolContext } from "../vocabulary/tools.ts";
import { Agent, type AgentOptions } from "./agent.ts";

/** What others are told about an agent they can delegate to. */
export interface RegistryEntry {
  name: string;
  description: string;
  skills?: string[];
}

type AgentFactory = () => Agent | AgentOptions;

/** Agents by name. Each use makes a fresh one. */
export class AgentRegistry {
  readonly #agents = new Map<string, { entry: RegistryEntry; factory: AgentFactory }>();

  /** An entry of the same name is replaced. */
  register(entry: RegistryEntry, factory: AgentFactory): void {
    this.#agents.set(entry.name, { entry: { ...entry }, factory });
  }

  /** What others are told about the agent of this name. */
  get(name: string): RegistryEntry | undefined {
    const known = this.#agents.get(name);
    return known === undefined ? undefined : { ...known.entry };
  }

  /** Sorted by name. */
  list(): RegistryEntry[] {
    const entries = [...this.#agents.values()].map(({ entry }) => ({ ...entry }));
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** What a fresh agent of this name is created from. An agent that a factory returns hands over its configuration. */
  configuration(name: string): AgentOptions | undefined {
    const known = this.#agents.get(name);
    if (known === undefined) return undefined;
    const made = known.factory();
    const options = made instanceof Agent ? made.configuration() : made;
    return { description: known.entry.description, ...options, name: known.entry.name };
  }

  /** A fresh agent; within a tool call, a sub-agent of the caller. */
  spawn(name: string, depth: number, parent?: ToolContext): Agent | undefined {
    const options = this.configuration(name);
    if (options === undefined) return undefined;
    return parent === undefined ? new Agent(options, { depth }) : parent.subAgents.create(options);
  }
}
