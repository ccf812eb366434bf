import type { BufferedStream } from "../loop/eventStream.ts";
import type { QueueName, RunState } from "../loop/runState.ts";
import { agentEnd, type RunOptions, type RunResult } from "../loop/runTypes.ts";
import { abortedError, linkAbort } from "../vocabulary/abort.ts";
import { AgentError, errorText } from "../vocabulary/errors.ts";
import type { AgentEvent, EventBody } from "../vocabulary/events.ts";
import type { Effect } from "../vocabulary/hooks.ts";
import type { AgentMessage } from "../vocabulary/messages.ts";
import { emptyUsage } from "../vocabulary/usage.ts";
import { type Input, type QueueHandle, toMessages } from "./agentOptions.ts";
import type { AgentInternals } from "./agentParts.ts";
import { runThroughMiddleware } from "./middleware.ts";
import { DelayedStart } from "./queues.ts";
import { agentRunState } from "./runSetup.ts";

type TranscriptReason = Extract<EventBody, { type: "transcript" }>["reason"];
type RunStream = BufferedStream<AgentEvent, RunResult>;

/** What a run begins with. The prompts are asked for once it has started. */
interface RunStart {
  prompts(): AgentMessage[];
  options: RunOptions;
  /** The prompts came from the steering queue, so the first poll must not take more of it. */
  skipsFirstSteering?: boolean;
  /** In place of the agent's own. */
  effects?: Effect[];
}

interface ActiveRun {
  state: RunState;
  controller: AbortController;
  done: Promise<RunResult>;
  /** Streams of queued sends that this run has delivered. */
  delivered: RunStream[];
}

/** The one place where an agent's runs start, are refused, stopped and ended. */
export class AgentRuns {
  readonly #parts: AgentInternals;
  #active: ActiveRun | undefined;
  readonly #delayedStart = new DelayedStart();
  #disposed = false;
  /** Whether this agent has emitted anything: the whole transcript comes first, for listeners that do not know it. */
  #hasEmitted = false;

  constructor(parts: AgentInternals) {
    this.#parts = parts;
  }

  /** The run under way. */
  get state(): RunState | undefined {
    return this.#active?.state;
  }

  get isRunning(): boolean {
    return this.#active !== undefined;
  }

  /** Why nothing can be started any more, if so. */
  get closedError(): AgentError | undefined {
    if (this.#disposed) return new AgentError("scope_closed", "This agent was disposed.");
    if (this.#parts.owner?.closed) return new AgentError("scope_closed", "The owner of this agent has closed.");
    return undefined;
  }

  /** Starts a run, queues behind the one under way, or refuses. Without a stream, nothing is buffered. */
  send(input: Input, options: RunOptions, stream?: RunStream): Promise<RunResult> {
    try {
      return this.#dispatch(toMessages(input), options, stream);
    } catch (error) {
      return this.refuse(error instanceof AgentError ? error : new AgentError("bad_input", errorText(error)), stream);
    }
  }

  #dispatch(messages: AgentMessage[], options: RunOptions, stream?: RunStream): Promise<RunResult> {
    if (this.closedError !== undefined) throw this.closedError;
    if (this.#active === undefined) return this.start({ prompts: () => messages, options }, stream);
    const whenBusy = options.whenBusy ?? this.#parts.settings.whenBusy;
    if (whenBusy === "reject") throw busyError();
    return this.#queue(whenBusy === "steer" ? "steering" : "followUp", messages, options, stream);
  }

  start(start: RunStart, stream?: RunStream): Promise<RunResult> {
    const { node } = this.#parts;
    this.#delayedStart.cancel();
    const controller = new AbortController();
    const state = agentRunState(this.#parts, {
      signal: controller.signal,
      options: start.options,
      skipsFirstSteering: start.skipsFirstSteering === true,
      drain: (name) => this.drain(name),
      ...(start.effects === undefined ? {} : { effects: start.effects }),
    });
    const { promise, resolve } = Promise.withResolvers<RunResult>();
    const active: ActiveRun = { state, controller, done: promise, delivered: [] };
    this.#active = active;
    if (stream !== undefined) {
      node.attach(stream);
      active.delivered.push(stream);
    }
    void this.#run(active, start).then(resolve);
    return promise;
  }

  /** Why there is nothing to continue with, if so. */
  get cannotContinue(): AgentError | undefined {
    const { history, queues } = this.#parts;
    if (this.closedError !== undefined) return this.closedError;
    if (this.isRunning) return busyError();
    const last = history.lastShown;
    if (last === undefined) {
      return new AgentError("empty_transcript", "There is nothing to continue: send a message first.");
    }
    if (last.role !== "assistant" || !queues.isEmpty) return undefined;
    return new AgentError("cannot_continue", "The model has answered and nothing is queued: send a message.");
  }

  /** Asks the model about the transcript as it is or, where that ends with an answer, with what is queued. */
  continue(options: RunOptions): Promise<RunResult> {
    if (this.#parts.history.lastShown?.role === "assistant") return this.#startQueued(options);
    return this.start({ prompts: () => [], options });
  }

  /** A run of effects without a turn. What is queued meanwhile starts the next run. */
  async maintain(effects: readonly Effect[], options: RunOptions): Promise<RunResult> {
    const refusal = this.closedError ?? (this.isRunning ? busyError() : undefined);
    if (refusal !== undefined) return this.refuse(refusal);
    const { queues } = this.#parts;
    const wasEmpty = queues.isEmpty;
    const end: Effect = { name: "maintenance", before: (info) => info.stop("done") };
    const own = { effects: [...effects, end], skipsFirstSteering: true };
    const result = await this.start({ prompts: () => [], options, ...own });
    const isWaited = wasEmpty && !queues.isEmpty && !this.isRunning;
    if (isWaited && result.reason !== "aborted" && this.closedError === undefined) void this.#startQueued({});
    return result;
  }

  /** Refused: the event goes to its own stream alone, not to listeners of the agent. */
  refuse(error: AgentError, stream?: RunStream): Promise<RunResult> {
    const { node } = this.#parts;
    const reason = error.code === "aborted" ? "aborted" : "error";
    const result: RunResult = { reason, messages: [], usage: emptyUsage(), error };
    stream?.push({
      ...agentEnd(result),
      agent: node.meta,
      sessionId: node.session.id,
      runId: node.runId,
      seq: node.session.lastSeq,
      timestamp: Date.now(),
    });
    stream?.end();
    stream?.settle(result);
    return Promise.resolve(result);
  }

  async abort(reason: unknown): Promise<void> {
    const active = this.#active;
    if (active === undefined) return;
    active.controller.abort(reason ?? new AgentError("aborted", "The run was aborted."));
    await active.done;
  }

  /** Also waits for what an abort left queued, where that starts by itself. */
  async waitForIdle(): Promise<void> {
    while (this.#active !== undefined || this.#delayedStart.isDue) {
      await this.#active?.done;
      await this.#delayedStart.done;
    }
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#delayedStart.cancel();
    await this.abort(new AgentError("aborted", "The agent was disposed."));
    this.#parts.queues.clear();
  }

  enqueue(name: QueueName, input: Input): QueueHandle {
    if (this.closedError !== undefined) throw this.closedError;
    const handle = this.#parts.queues.add(name, toMessages(input));
    this.emitQueueUpdate();
    return handle;
  }

  cancelQueued(handle: QueueHandle): boolean {
    const wasWaiting = this.#parts.queues.cancel(handle);
    if (wasWaiting) this.emitQueueUpdate();
    return wasWaiting;
  }

  /** Lets the next request of the run under way offer the tools as they are now. */
  offerTools(): void {
    if (this.state !== undefined) this.state.context.tools = this.#parts.settings.tools;
  }

  /** Publishes how much is queued; while idle, nothing waits for that. */
  emitQueueUpdate(delivery?: { delivered: AgentMessage; kind: QueueName }): void {
    if (this.#active === undefined) return;
    const { node, queues } = this.#parts;
    node.emit({
      type: "queue_update",
      steering: queues.count("steering"),
      followUp: queues.count("followUp"),
      ...delivery,
    });
  }

  drain(name: QueueName): AgentMessage[] {
    return this.#parts.queues.drain(name, (delivered) => this.emitQueueUpdate({ delivered, kind: name }));
  }

  /** The transcript as a whole, where it changed outside a run. Nothing is emitted for a sub-agent that never ran. */
  emitTranscript(reason: TranscriptReason): void {
    const { node, history, lineage } = this.#parts;
    if (lineage !== undefined && !this.#hasEmitted) return;
    this.#hasEmitted = true;
    node.emit({ type: "transcript", messages: [...history.messages], own: node.own, total: node.total, reason });
  }

  async #run(active: ActiveRun, { prompts, options }: RunStart): Promise<RunResult> {
    const { node, owner, session, settings } = this.#parts;
    const { controller, state } = active;
    const { middleware = [] } = settings.options;
    const unlink = [linkAbort(options.signal, controller), linkAbort(owner?.signal, controller)];
    node.beginRun();
    node.emit({ type: "agent_start" });
    this.#emitInitialTranscript();
    const result = await runThroughMiddleware(state, { controller, middleware, prompts });
    for (const undo of unlink) undo();
    session?.saveUsage(node.own, node.total);
    await session?.flush();
    this.#active = undefined;
    node.emit(agentEnd(result));
    for (const stream of active.delivered) stream.settle(result);
    this.#resumeAfter(result);
    return result;
  }

  #emitInitialTranscript(): void {
    const { node, history } = this.#parts;
    const isKnown = this.#hasEmitted;
    this.#hasEmitted = true;
    const wasGiven = history.messages.length > 0 || Object.values(node.own).some((figure) => figure > 0);
    if (!isKnown && wasGiven) this.emitTranscript("initial");
  }

  #queue(name: QueueName, messages: AgentMessage[], options: RunOptions, stream?: RunStream): Promise<RunResult> {
    const { node, queues } = this.#parts;
    const { signal } = options;
    const { promise, resolve } = Promise.withResolvers<RunResult>();
    const handle = queues.add(name, messages, {
      onDelivered: () => {
        if (stream !== undefined) {
          node.attach(stream);
          this.#active?.delivered.push(stream);
        }
        void this.#active?.done.then(resolve);
      },
      onDropped: () => {
        const error = signal?.aborted
          ? abortedError(signal)
          : new AgentError("aborted", "The queued message was taken back.");
        resolve(this.refuse(error, stream));
      },
    });
    const cancel = () => {
      if (queues.cancel(handle)) this.emitQueueUpdate();
    };
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted) cancel();
    else this.emitQueueUpdate();
    return promise.finally(() => signal?.removeEventListener("abort", cancel));
  }

  /** What is queued starts a run of its own after an abort or a failure, where the agent is set to. */
  #resumeAfter({ reason }: RunResult): void {
    const { settings, queues } = this.#parts;
    if (!settings.resumesQueued || (reason !== "aborted" && reason !== "error")) return;
    if (queues.isEmpty || this.closedError !== undefined) return;
    this.#delayedStart.schedule(() => {
      if (!this.isRunning && !queues.isEmpty && this.closedError === undefined) void this.#startQueued({});
    });
  }

  /** Starts with what is queued, steering first. */
  #startQueued(options: RunOptions): Promise<RunResult> {
    const name = this.#parts.queues.count("steering") > 0 ? "steering" : "followUp";
    return this.start({ prompts: () => this.drain(name), options, skipsFirstSteering: name === "steering" });
  }
}

function busyError(): AgentError {
  return new AgentError("busy", "The agent is already running.");
}
