import {
  Agent,
  type AgentEvent,
  type AgentMessage,
  type AgentOptions,
  type EventBody,
  MemorySessionStore,
} from "../../../agent/index.ts";
import type { EarlierAgent } from "../restore/restoredChat.ts";

export interface RootAgentOptions {
  create(): Agent;
  /** Brings it up to date with the settings. */
  configure(agent: Agent): void;
  /** What an earlier run of the editor left of it. */
  earlier: EarlierAgent | undefined;
  /** Added to the numbers of its events: they go on where those of the session ended. */
  seqBefore: number;
  onEvent(event: AgentEvent): void;
}

/** A chat's root agent, made when it is first needed. Its events are numbered as the chat's log goes on. */
export class RootAgent {
  readonly #options: RootAgentOptions;
  #agent: Agent | undefined;
  #lastSeq: number;
  /** Added to the numbers of the agent's own events. */
  #offset: number;

  constructor(options: RootAgentOptions) {
    this.#options = options;
    this.#offset = options.seqBefore;
    this.#lastSeq = options.seqBefore;
  }

  /** Undefined while it was not needed. */
  get current(): Agent | undefined {
    return this.#agent;
  }

  /** Of the latest event. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** As the settings say now. */
  configured(): Agent {
    if (this.#agent !== undefined) {
      this.#options.configure(this.#agent);
      return this.#agent;
    }
    const agent = this.#options.create();
    agent.subscribe((event) => this.#observe(event));
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

  /** An event of an agent of its tree that it knows nothing of. */
  add(agent: Pick<Agent, "sessionId" | "meta">, body: EventBody): void {
    this.#offset += 1;
    this.#lastSeq += 1;
    const { sessionId, meta } = agent;
    const base = { agent: meta, sessionId, runId: `${sessionId}-interrupted`, seq: this.#lastSeq };
    this.#options.onEvent({ ...body, ...base, timestamp: Date.now() });
  }

  #observe(own: AgentEvent): void {
    const { earlier, onEvent } = this.#options;
    // The log has the transcript already that the agent began with.
    if (own.type === "transcript" && own.reason === "initial" && earlier !== undefined) return;
    const event = this.#offset === 0 ? own : { ...own, seq: own.seq + this.#offset };
    this.#lastSeq = event.seq;
    onEvent(event);
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
