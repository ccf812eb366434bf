import type { AgentEvent, AgentMeta, EventBody, StreamedUpdate } from "../vocabulary/events.ts";
import type { AgentMessage } from "../vocabulary/messages.ts";
import type { MessageDelta, Model } from "../vocabulary/model.ts";
import {
  addUsage,
  contextPercent,
  contextTokens,
  emptyUsage,
  type ReportedUsage,
  type Usage,
} from "../vocabulary/usage.ts";
import { type EventSession, ListenerList } from "./eventSession.ts";

/** Receives the events of one run, its descendants' too, until the agent's own `agent_end`. */
export interface EventSink {
  push(event: AgentEvent): void;
  end(): void;
}

/**
 * One agent's place in its tree: who it is, where its events go, what it and its descendants have spent. It is the only
 * place that stamps an event, hands it outward and rolls usage up.
 */
export class AgentNode {
  readonly parent: AgentNode | undefined;
  readonly listeners = new ListenerList();
  #meta: AgentMeta;
  session: EventSession;
  runId = "";
  own: Readonly<Usage>;
  total: Readonly<Usage>;
  /** Of this node's latest request. */
  lastUsage: Usage | undefined;
  /** Since the current run began, descendants included. */
  runUsage: Usage = emptyUsage();
  /** Of all calls in the agent's life. Some servers use an id again in a later answer. */
  readonly callIds = new Set<string>();
  /** Ids of calls that have started and not ended, those that wait for approval between two runs too. */
  readonly startedCalls = new Set<string>();
  /** Called when this agent, or one below it that stores nothing itself, has spent something. */
  observeUsage: (() => void) | undefined;
  /** How many requests this agent has made in its life. */
  turnIndex = 0;
  /** Sees this agent's own events, but no deltas, before any listener does. */
  observe: (event: AgentEvent) => void = () => {};
  /** Of an agent of another program. */
  #reportedContext = { contextTokens: 0, contextPercent: 0 };
  #sinks: EventSink[] = [];
  #isRunning = false;

  constructor(o: {
    meta: AgentMeta;
    session: EventSession;
    parent?: AgentNode | undefined;
    usage?: Usage | undefined;
    /** With what descendants spent; by default `usage`. */
    total?: Usage | undefined;
  }) {
    this.#meta = Object.freeze({ ...o.meta });
    this.session = o.session;
    this.parent = o.parent;
    this.own = Object.freeze({ ...(o.usage ?? emptyUsage()) });
    this.total = Object.freeze({ ...(o.total ?? this.own) });
  }

  /** Shared by all events, and so unchangeable. */
  get meta(): AgentMeta {
    return this.#meta;
  }

  set meta(meta: AgentMeta) {
    this.#meta = Object.freeze(meta);
  }

  /** A warning that comes after the last event of a run is none of its events. */
  warn(message: string): void {
    if (this.#isRunning) this.emit({ type: "warning", message });
    else console.warn(message);
  }

  beginRun(): void {
    this.#isRunning = true;
    this.runId = crypto.randomUUID();
    this.runUsage = emptyUsage();
  }

  emit(body: EventBody): void {
    const event: AgentEvent = {
      ...body,
      agent: this.meta,
      sessionId: this.session.id,
      runId: this.runId,
      seq: this.session.nextSeq(),
      timestamp: Date.now(),
    };
    if (body.type === "agent_end") this.#isRunning = false;
    this.observe(event);
    this.session.deliver(this, event);
  }

  /** The hot path: a delta is neither copied nor looked into. `reported` goes with the first one after it is known. */
  emitDelta(messageId: string, delta: MessageDelta, reported?: ReportedUsage): void {
    const event: StreamedUpdate = {
      type: "message_update",
      messageId,
      delta,
      agent: this.meta,
      sessionId: this.session.id,
      runId: this.runId,
      seq: this.session.nextSeq(),
      timestamp: Date.now(),
    };
    if (reported !== undefined) event.reported = reported;
    this.session.deliver(this, event);
  }

  /** Counts what a request cost, here and in every ancestor, and reports it. */
  addUsage(delta: Usage, model: Model, o: { isRequest: boolean }): void {
    if (o.isRequest) this.lastUsage = Object.freeze(delta);
    this.#count(delta, {
      contextTokens: this.lastUsage === undefined ? 0 : contextTokens(this.lastUsage),
      contextPercent: contextPercent(this.lastUsage, model),
    });
  }

  /** As `addUsage`, for an agent of another program: it reports how full its context is; absent, as it did last. */
  addReportedUsage(delta: Usage, context?: { tokens: number; window: number }): void {
    if (context !== undefined) {
      const { tokens, window } = context;
      const contextPercent = window > 0 ? Math.min(100, Math.round((tokens / window) * 100)) : 0;
      this.#reportedContext = { contextTokens: tokens, contextPercent };
    }
    this.#count(delta, this.#reportedContext);
  }

  #count(delta: Usage, context: { contextTokens: number; contextPercent: number }): void {
    Object.freeze(delta);
    this.own = Object.freeze(addUsage(this.own, delta));
    for (let node: AgentNode | undefined = this; node !== undefined; node = node.parent) {
      node.total = Object.freeze(addUsage(node.total, delta));
      node.runUsage = addUsage(node.runUsage, delta);
    }
    this.#spent();
    this.emit({ type: "usage", delta, own: this.own, total: this.total, ...context });
  }

  /** The nearest agent that stores what was spent also stores it for those above. */
  #spent(): void {
    let node: AgentNode | undefined = this;
    while (node !== undefined && node.observeUsage === undefined) node = node.parent;
    node?.observeUsage?.();
  }

  /** Makes the ids of the calls in a transcript known. */
  noteCalls(messages: readonly AgentMessage[]): void {
    for (const message of messages) {
      if (message.role !== "assistant") continue;
      for (const part of message.content) if (part.type === "toolCall") this.callIds.add(part.id);
    }
  }

  /** Gives a stream this agent's events from now on, up to the end of the run. */
  attach(sink: EventSink): void {
    this.#sinks = [...this.#sinks, sink];
  }

  /** Publishes an event, of this agent or of one below it, to the listeners and streams of this agent. */
  receive(event: AgentEvent): void {
    this.listeners.call(event);
    // By index: iterating costs more than what is done here for each delta.
    const sinks = this.#sinks;
    for (let at = 0; at < sinks.length; at += 1) sinks[at]?.push(event);
  }

  endStreams(): void {
    const ended = this.#sinks;
    this.#sinks = [];
    for (const sink of ended) sink.end();
  }
}
