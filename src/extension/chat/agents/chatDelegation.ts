import {
  type Agent,
  type AgentEvent,
  type AgentMessage,
  AgentRegistry,
  delegationTools,
  type Model,
  type Toolbox,
  type UserMessage,
} from "../../../agent/index.ts";
import type { AgentDirectory } from "../../../agent/toolkits/delegation.ts";
import { attachmentsOf } from "../../../protocol/attachments.ts";
import {
  type AgentSources,
  isOffered,
  type OfferedTools,
  offeredAgents,
  offeredSkills,
  registerAgents,
} from "../../customization/agents.ts";
import type { Custom } from "../../customization/customization.ts";
import { TeamMemory } from "../../customization/teamMemory.ts";

export interface ChatDelegationSources extends Omit<AgentSources, "each"> {
  custom(): Custom;
  /** Everything that the agents of the chat have done, also before it was opened. */
  events(): Promise<Iterable<AgentEvent>>;
  /** What the project says, read once for all agents of the chat. */
  projectContext(): Promise<string | undefined>;
  /** What each new sub-agent has besides the delegation tools. */
  each(): Omit<ReturnType<NonNullable<AgentSources["each"]>>, "delegation">;
}

/**
 * Whom the agents of a chat may delegate to, as the custom files say now. Agents that are not offered come in with the
 * first message that addresses them and stay, since later messages may refer to them.
 */
export class ChatDelegation {
  readonly directory: AgentDirectory;
  readonly projectContext: ChatDelegationSources["projectContext"];
  readonly #sources: ChatDelegationSources;
  readonly #addressed = new Set<string>();
  readonly #teams: TeamMemory;
  #custom: Custom;
  #others: string;
  #registry: AgentRegistry;
  #tools: { box: Toolbox; offered: string } | undefined;

  constructor(sources: ChatDelegationSources, messages: readonly AgentMessage[] = []) {
    this.#sources = sources;
    this.projectContext = sources.projectContext;
    this.#teams = new TeamMemory(() => sources.events());
    this.#custom = sources.custom();
    this.#others = this.#otherNames();
    this.#registry = this.#newRegistry();
    for (const message of messages) if (message.role === "user") this.address(message);
    this.directory = offeredAgents(
      {
        list: () => this.#registry.list(),
        configuration: (name) => this.#registry.configuration(name),
        watch: sources.watch,
      },
      (name) => this.#isOffered(name),
    );
  }

  /** An agent that the message addresses can be delegated to from now on. */
  address(message: UserMessage): void {
    for (const attachment of attachmentsOf(message)) {
      if (attachment.kind === "agent" && attachment.agentId === undefined) this.#addressed.add(attachment.name);
    }
  }

  /** Gives the chat's root agent the tools to delegate with. One that fails takes nothing from the others. */
  attach(agent: Agent): void {
    const box = delegationTools({ agent, registry: this.directory, onError: "collect" });
    this.#tools = { box, offered: this.#offered() };
    agent.addToolboxes(box);
    agent.setSkills(offeredSkills(this.#custom.skills));
  }

  /** Brings the agents up to date with the custom files. Tools and prompt change only where the agents do. */
  update(agent: Agent): void {
    const others = this.#otherNames();
    if (this.#custom !== this.#sources.custom() || this.#others !== others) {
      this.#others = others;
      this.#custom = this.#sources.custom();
      this.#registry = this.#newRegistry();
      agent.setSkills(offeredSkills(this.#custom.skills));
    }
    const offered = this.#offered();
    if (this.#tools === undefined || this.#tools.offered === offered) return;
    this.#tools.offered = offered;
    this.#tools.box.add(...delegationTools({ agent, registry: this.directory, onError: "collect" }).list());
  }

  /** Whether its file says that the agent works in a worktree of its own. */
  isIsolated(name: string): boolean {
    return this.#custom.agents.some((agent) => agent.name === name && agent.isolation === "worktree");
  }

  /** Whether the agent is a program of its own, whose tools are not ours. */
  isForeign(name: string): boolean {
    const others = this.#sources.others?.() ?? [];
    return others.some((each) => each.name === name) && !this.#custom.agents.some((agent) => agent.name === name);
  }

  /** The same agents with other tools: where they work, all that they delegate to does. */
  directoryWith(tools: (model?: Model) => OfferedTools, note: string): AgentDirectory {
    const { others: _programs, ...sources } = this.#sources;
    // Who works there already is not isolated once more.
    const { isolate: _, ...watch } = sources.watch ?? {};
    const registry = new AgentRegistry();
    const parts = {
      ...{ ...sources, note, watch, toolsFor: tools, teams: this.#teams },
      each: () => ({ ...sources.each(), delegation: box }),
      // Its model decides which edit tool an agent has.
      get tools() {
        return tools();
      },
    };
    registerAgents(registry, parts, this.#custom);
    const known = {
      list: () => registry.list(),
      configuration: (name: string) => registry.configuration(name),
      watch,
    };
    const directory = offeredAgents(known, (name) => this.#isOffered(name));
    const box = delegationTools({ agent: { id: "" }, registry: directory, onError: "collect" });
    return directory;
  }

  #otherNames(): string {
    return JSON.stringify(this.#sources.others?.().map(({ name, description }) => [name, description]));
  }

  #isOffered(name: string): boolean {
    return isOffered(name, this.#custom.agents) || this.#addressed.has(name);
  }

  #offered(): string {
    return JSON.stringify(this.directory.list());
  }

  #newRegistry(): AgentRegistry {
    const sources = this.#sources;
    const registry = new AgentRegistry();
    const each = () => ({ ...sources.each(), ...(this.#tools !== undefined && { delegation: this.#tools.box }) });
    const parts = {
      ...sources,
      each,
      teams: this.#teams,
      // Asked for each new sub-agent: its model decides which edit tool it has.
      get tools() {
        return sources.tools;
      },
    };
    registerAgents(registry, parts, this.#custom);
    return registry;
  }
}
