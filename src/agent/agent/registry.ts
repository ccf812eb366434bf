import { AgentError } from "../vocabulary/errors.ts";
import type { AgentCreator, ToolContext } from "../vocabulary/tools.ts";
import { Agent, configurationOf, createAgent } from "./agent.ts";
import type { AgentOptions } from "./agentOptions.ts";

/** The description of an agent for those who can delegate to it. */
export interface RegistryEntry {
  name: string;
  description: string;
  skills?: string[];
}

/** Creates root agents, each with a session of its own; what an agent does not bring is taken from `defaults`. */
export function rootAgentCreator(defaults?: AgentOptions): AgentCreator {
  return { create: (options) => new Agent({ ...defaults, ...options }) };
}

type AgentFactory = () => Agent | AgentOptions;

/** Agents by name. Each use makes a fresh one. */
export class AgentRegistry {
  readonly #agents = new Map<string, { entry: RegistryEntry; factory: AgentFactory }>();
  #isClosed = false;

  /** Whether its agents are all that there will be. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Nothing is registered any more. The delegation tools that are made from here on name the agents themselves. */
  close(): this {
    this.#isClosed = true;
    return this;
  }

  /** An entry of the same name is replaced. Throws once it is closed. */
  register(entry: RegistryEntry, factory: AgentFactory): void {
    if (this.#isClosed) throw new AgentError("bad_input", `The registry is closed: "${entry.name}" comes too late.`);
    this.#agents.set(entry.name, { entry: { ...entry }, factory });
  }

  /** The description of the agent of this name. */
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
    const options = made instanceof Agent ? configurationOf(made) : optionsFrom(made, name);
    return { description: known.entry.description, ...options, name: known.entry.name };
  }

  /** A fresh agent; within a tool call, a sub-agent of the caller. */
  spawn(name: string, depth: number, parent?: ToolContext): Agent | undefined {
    const options = this.configuration(name);
    if (options === undefined) return undefined;
    return parent === undefined ? createAgent(options, { depth }) : parent.subAgents.create(options);
  }
}

/** What JavaScript lets a factory give is not what its type says; the failure of a promise would go unnoticed. */
function optionsFrom(made: unknown, name: string): AgentOptions {
  const isPromise = made instanceof Promise;
  if (isPromise) made.catch(() => {});
  if (isPromise || typeof made !== "object" || made === null) {
    const what = isPromise ? "a promise, but is not waited for" : "neither an agent nor options";
    throw new AgentError("bad_input", `What makes the agent "${name}" gives ${what}.`);
  }
  return made as AgentOptions;
}
