import type { Agent, AgentEvent, AgentMeta, EventBody, LimitName } from "../../../agent/index.ts";
import type { HostEvent, Notice } from "../../../protocol/hostEvents.ts";
import type { HostState } from "../../../protocol/hostState.ts";
import { breakDownContext } from "../../context/contextBreakdown.ts";
import { foreignProviderId } from "../../models/providers.ts";
import type { EventLog } from "../log/eventLog.ts";
import type { MessageQueue } from "../messageQueue.ts";
import type { LeftCards } from "../restore/leftCards.ts";
import { WaitingTimes } from "./waitingTimes.ts";

export type RunEnd = Extract<AgentEvent, { type: "agent_end" }>;

interface ObservedChat {
  readonly log: EventLog;
  readonly notices: { show(notice: Notice): void };
  readonly host: HostState;
  readonly left: Pick<LeftCards, "withdraw"> | undefined;
  emit(event: HostEvent): void;
}

interface RunEventsOptions {
  chat: ObservedChat;
  /** What an earlier run of the editor left in the log. */
  earlier: {
    /** The events go on from this number. */
    lastSeq: number;
    /** The log has the transcript that the root agent begins with. */
    hasTranscript: boolean;
  };
  queue: MessageQueue;
  /** A live agent of the chat. */
  find(agentId: string): Agent | undefined;
  /** What the user has to know of a run of the root agent; undefined when it is nothing. */
  noticeFor(end: RunEnd, reachedLimit: LimitName | undefined): Notice | undefined;
  /** Called when a run of the root agent starts or ends. */
  onActivity(): void;
  /** Writes to Arbor's log. */
  warn(message: string): void;
}

/** Logs the events of a chat's agents, numbered as the log goes on, and follows from them what its run comes to. */
export class RunEvents {
  readonly #options: RunEventsOptions;
  readonly waitingTimes = new WaitingTimes(Date.now);
  #isRunning = false;
  #reachedLimit: LimitName | undefined;
  #lastEnd: RunEnd | undefined;
  #lastSeq: number;
  /** What a step brings whose rewinds do not reach the log. */
  #heldBack: AgentEvent[] | undefined;
  /** Added to the numbers that the root agent gives. */
  #offset: number;

  constructor(options: RunEventsOptions) {
    this.#options = options;
    this.#lastSeq = options.earlier.lastSeq;
    this.#offset = options.earlier.lastSeq;
  }

  /** Of the latest event. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** How the latest run of the root agent ended. */
  get lastEnd(): RunEnd | undefined {
    return this.#lastEnd;
  }

  /** An event of the root agent, or of one below it. */
  readonly observe = (own: AgentEvent): void => {
    if (own.type === "transcript" && own.reason === "initial" && this.#options.earlier.hasTranscript) return;
    if (own.type === "transcript" && own.reason === "rewind" && this.#heldBack !== undefined) {
      this.#heldBack.push(own);
      return;
    }
    this.#append(this.#offset === 0 ? own : { ...own, seq: own.seq + this.#offset });
  };

  /** Runs a step whose rewinds do not reach the log, unless it fails: its last event has the whole transcript. */
  async withoutRewinds(step: () => Promise<void>): Promise<void> {
    const heldBack: AgentEvent[] = [];
    this.#heldBack = heldBack;
    try {
      await step();
    } catch (error) {
      this.#heldBack = undefined;
      for (const event of heldBack) this.observe(event);
      throw error;
    } finally {
      this.#heldBack = undefined;
    }
  }

  /** An event of an agent of the tree that it knows nothing of. */
  add(agent: Pick<Agent, "sessionId" | "meta">, body: EventBody): void {
    this.#offset += 1;
    const { sessionId, meta } = agent;
    const base = { agent: meta, sessionId, runId: `${sessionId}-interrupted`, seq: this.#lastSeq + 1 };
    this.#append({ ...body, ...base, timestamp: Date.now() });
  }

  #append(event: AgentEvent): void {
    const { chat, queue } = this.#options;
    this.#lastSeq = event.seq;
    chat.log.appendAgent(this.waitingTimes.withoutWaiting(event));
    switch (event.type) {
      case "queue_update":
        if (event.delivered !== undefined) this.#deliver(event.agent, event.delivered.id);
        break;
      case "usage":
        this.#measureContext(event.agent.id, event.contextTokens);
        break;
      case "warning":
        this.#options.warn(event.message);
        // One of a kind is enough, however often it comes.
        chat.notices.show({ id: `warning ${event.message}`, level: "info", text: event.message, actions: [] });
        break;
      case "limit_reached":
        if (event.agent.depth === 0) this.#reachedLimit = event.limit;
        break;
      case "agent_start":
        this.#goesOn(event.agent.id);
        if (event.agent.depth === 0) this.#start();
        break;
      case "agent_end":
        if (event.agent.depth === 0) this.#end(event);
        else queue.endOf(event.agent.id);
        break;
      default:
    }
  }

  /** What the user wrote to a sub-agent goes into its parent's log as well. */
  #deliver(agent: AgentMeta, messageId: string): void {
    const { chat, queue } = this.#options;
    const item = chat.host.queue.find(({ id }) => id === messageId);
    const { id: agentId, parentId, toolCallId: callId } = agent;
    if (item !== undefined && parentId !== undefined) {
      const { text, to = agent.name ?? agentId } = item;
      const steered = { messageId, agentId, to, text, parentId, ...(callId !== undefined && { callId }) };
      chat.emit({ type: "agent_steered", ...steered });
    }
    // Afterwards: what leaves the queue without having been delivered was removed.
    queue.remove(messageId);
  }

  #start(): void {
    const { onActivity } = this.#options;
    this.#reachedLimit = undefined;
    this.#isRunning = true;
    onActivity();
  }

  /** An agent that works is interrupted no more. */
  #goesOn(agentId: string): void {
    const { chat } = this.#options;
    const { interrupted } = chat.host;
    if (!interrupted.includes(agentId)) return;
    chat.emit({ type: "interrupted", agentIds: interrupted.filter((id) => id !== agentId) });
  }

  #end(end: RunEnd): void {
    const { chat, noticeFor, onActivity } = this.#options;
    this.#isRunning = false;
    chat.left?.withdraw();
    this.#lastEnd = end;
    const notice = noticeFor(end, this.#reachedLimit);
    if (notice !== undefined) chat.notices.show(notice);
    onActivity();
  }

  #measureContext(agentId: string, contextTokens: number): void {
    const { chat, find } = this.#options;
    const agent = find(agentId);
    // What is in the context of another program's agent is not known here.
    if (agent === undefined || agent.state.model.provider === foreignProviderId) return;
    chat.emit({ type: "context_measured", agentId, context: breakDownContext(agent.state, contextTokens) });
  }
}
