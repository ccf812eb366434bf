import {
  Agent,
  type AgentEvent,
  type AgentMessage,
  type AgentOptions,
  MemorySessionStore,
} from "../../../agent/index.ts";
import type { EarlierAgent } from "../restore/restoredChat.ts";

export interface RootAgentOptions {
  create(): Agent;
  /** Brings it up to date with the settings. */
  configure(agent: Agent): void;
  /** What an earlier run of the editor left of it. */
  earlier: EarlierAgent | undefined;
  onEvent(event: AgentEvent): void;
}

/** A chat's root agent, made when it is first needed. */
export class RootAgent {
  readonly #options: RootAgentOptions;
  #agent: Agent | undefined;

  constructor(options: RootAgentOptions) {
    this.#options = options;
  }

  /** Undefined while it was not needed. */
  get current(): Agent | undefined {
    return this.#agent;
  }

  /** As the settings say now. */
  configured(): Agent {
    if (this.#agent !== undefined) {
      this.#options.configure(this.#agent);
      return this.#agent;
    }
    const agent = this.#options.create();
    agent.subscribe(this.#options.onEvent);
    this.#agent = agent;
    return agent;
  }

  /** Also one that has not worked since the editor was opened. */
  known(): Agent | undefined {
    return this.#agent ?? (this.#options.earlier === undefined ? undefined : this.configured());
  }

  /** Of an agent of its tree, with the message that is being written; undefined for one that is not there any more. */
  messagesOf(agentId: string): readonly AgentMessage[] | undefined {
    const agent = this.#agent?.find(agentId);
    if (agent === undefined) return undefined;
    const { streamingMessage } = agent.state;
    return streamingMessage === undefined ? agent.messages : [...agent.messages, streamingMessage];
  }
}

/** A root agent, which goes on where an earlier run of the editor left it: its messages and what it has spent. */
export function agentAfter(earlier: EarlierAgent | undefined, options: AgentOptions): Agent {
  const session = new MemorySessionStore();
  if (earlier === undefined) return new Agent({ ...options, session });
  const { id, messages, own, total } = earlier;
  // In memory this is done at once.
  for (const message of messages) void session.append(id, message);
  return new Agent({ ...options, id, messages, usage: own, totalUsage: total, session });
}
