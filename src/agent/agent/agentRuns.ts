import type { BufferedStream } from "../loop/eventStream.ts";
import type { QueueName, RunState } from "../loop/runState.ts";
import { agentEnd, defaultAbortGraceMs, type RunOptions, type RunResult } from "../loop/runTypes.ts";
import { isInToolOf } from "../loop/toolScope.ts";
import { abortedError, linkAbort, startTimer } from "../vocabulary/abort.ts";
import { AgentError, errorText } from "../vocabulary/errors.ts";
import type { AgentEvent, EventBody } from "../vocabulary/events.ts";
import type { Effect } from "../vocabulary/hooks.ts";
import type { AgentMessage, AssistantMessage } from "../vocabulary/messages.ts";
import { type AgentSnapshot, type ApprovalAnswers, openCallsOf } from "../vocabulary/pause.ts";
import { copyPlain } from "../vocabulary/plainJson.ts";
import { emptyUsage } from "../vocabulary/usage.ts";
import { type Input, type QueueHandle, toMessages } from "./agentOptions.ts";
import type { AgentInternals } from "./agentParts.ts";
import { runThroughMiddleware } from "./middleware.ts";
import { DelayedStart } from "./queues.ts";
import { agentRunState } from "./runSetup.ts";
import type { Lineage } from "./subAgents.ts";
import { createTypedOutput, type TypedOutput } from "./typedOutput.ts";

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
  /** Goes on with the calls that have no result. */
  answers?: ApprovalAnswers;
  /** The answer it had ended with when it was cut off. */
  finished?: AssistantMessage;
}

interface ActiveRun {
  state: RunState;
  controller: AbortController;
  done: Promise<RunResult>;
  /** Streams of queued sends that this run has delivered. */
  delivered: RunStream[];
  output: TypedOutput | undefined;
}

/** The one place where an agent's runs start, are refused, stopped and ended. */
export class AgentRuns {
  readonly #parts: AgentInternals;
  #active: ActiveRun | undefined;
  readonly #delayedStart = new DelayedStart();
  #disposed = false;
  /** Whether this agent has emitted anything: the whole transcript comes first, for listeners that do not know it. */
  #hasEmitted = false;
  /** The sub-agents of the calls without a result, where a run is to go on with these. */
  #open: AgentSnapshot["children"] | undefined;
  /** A sub-agent that was restored, and not sent anything yet. */
  #restored: Lineage["restored"];

  constructor(parts: AgentInternals) {
    this.#parts = parts;
    this.#open = parts.restored?.children;
    this.#restored = parts.lineage?.restored;
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

  #dispatch(given: AgentMessage[], options: RunOptions, stream?: RunStream): Promise<RunResult> {
    if (this.closedError !== undefined) throw this.closedError;
    const messages = this.#withOwnIds(given);
    if (this.#active === undefined) return this.start(this.#startOf(messages, options), stream);
    const whenBusy = options.whenBusy ?? this.#parts.settings.whenBusy;
    if (whenBusy === "reject") throw busyError();
    return this.#queue(whenBusy === "steer" ? "steering" : "followUp", messages, options, stream);
  }

  #withOwnIds(messages: AgentMessage[]): AgentMessage[] {
    const { history, queues } = this.#parts;
    return history.withOwnIds(messages, queues.messageIds);
  }

  /** What a restored sub-agent is sent first, it had been sent before: it goes on from there. */
  #startOf(messages: AgentMessage[], options: RunOptions): RunStart {
    const restored = this.#restored;
    this.#restored = undefined;
    const { history } = this.#parts;
    if (restored === undefined) return { prompts: () => messages, options };
    const stored = history.messages;
    if (!stored.some(({ role }) => role === "assistant")) {
      return { prompts: () => messages.slice(stored.length), options };
    }
    const last = history.lastShown;
    const isFinished = last?.role === "assistant" && openCallsOf(stored) === undefined;
    if (isFinished) return { prompts: () => [], options, finished: last };
    return { prompts: () => [], options, answers: restored.answers };
  }

  start(start: RunStart, stream?: RunStream): Promise<RunResult> {
    const { node } = this.#parts;
    this.#delayedStart.cancel();
    const controller = new AbortController();
    const { output: schema, maxOutputAttempts: maxAttempts } = start.options;
    const { streamFn } = this.#parts.settings;
    const output = schema === undefined ? undefined : createTypedOutput(schema, { streamFn, maxAttempts });
    const state = agentRunState(this.#parts, {
      signal: controller.signal,
      options: start.options,
      skipsFirstSteering: start.skipsFirstSteering === true,
      drain: (name) => this.drain(name),
      ...(start.effects === undefined ? {} : { effects: start.effects }),
      ...(output === undefined ? {} : { output }),
      ...(start.answers === undefined ? {} : { open: { answers: start.answers, children: this.#open ?? {} } }),
      ...(start.finished === undefined ? {} : { finished: start.finished }),
    });
    this.#open = undefined;
    const { promise, resolve } = Promise.withResolvers<RunResult>();
    const active: ActiveRun = { state, controller, done: promise, delivered: [], output };
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
    if (this.#hasOpenCalls) return undefined;
    if (last === undefined) {
      return new AgentError("empty_transcript", "There is nothing to continue: send a message first.");
    }
    if (last.role !== "assistant" || !queues.isEmpty) return undefined;
    return new AgentError("cannot_continue", "The model has answered and nothing is queued: send a message.");
  }

  /** Asks the model about the transcript as it is or, where that ends with an answer, with what is queued. */
  continue(options: RunOptions): Promise<RunResult> {
    if (this.#hasOpenCalls) return this.start({ prompts: () => [], options, answers: {} });
    if (this.#parts.history.lastShown?.role === "assistant") return this.#startQueued(options);
    return this.start({ prompts: () => [], options });
  }

  /** Goes on with the calls that wait. */
  async answer(answers: ApprovalAnswers, options: RunOptions): Promise<RunResult> {
    const refusal = this.closedError ?? (this.isRunning ? busyError() : undefined);
    if (refusal !== undefined) throw refusal;
    if (!this.#hasOpenCalls) throw new AgentError("cannot_continue", "No call of this agent waits for approval.");
    return this.start({ prompts: () => [], options, answers });
  }

  get #hasOpenCalls(): boolean {
    return this.#open !== undefined && openCallsOf(this.#parts.history.messages) !== undefined;
  }

  /** The agent as it could be restored. */
  snapshot(): AgentSnapshot {
    const { id, node, history } = this.#parts;
    const { own: usage, total, turnIndex } = node;
    const messages = [...history.messages];
    return copyPlain({ agentId: id, messages, usage, total, turnIndex, children: this.#open ?? {} });
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
    const handle = this.#parts.queues.add(name, this.#withOwnIds(toMessages(input)));
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
    if (this.#active === undefined) return;
    const { state, output } = this.#active;
    state.context.tools = [...this.#parts.settings.tools, ...(output?.tools ?? [])];
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
    const ended = await runThroughMiddleware(state, { controller, middleware, prompts });
    session?.saveUsage();
    if (session !== undefined) await leaveLate(session.flush(), controller.signal, state.config.abortGraceMs);
    for (const undo of unlink) undo();
    const result = ended.reason === "paused" ? this.#paused(ended, state) : { ...ended, ...active.output?.value };
    this.#active = undefined;
    node.emit(agentEnd(result));
    for (const stream of active.delivered) stream.settle(result);
    this.#resumeAfter(result);
    return result;
  }

  #paused(ended: RunResult, { ending, open }: RunState): RunResult {
    const waiting = (ending?.pending ?? []).map(({ call, children }) => [call.id, children] as const);
    this.#open = { ...open?.children, ...Object.fromEntries(waiting) };
    return { ...ended, state: { version: 1, ...this.snapshot() } };
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
    if (stream === undefined && isInToolOf(node)) {
      queues.add(name, messages);
      this.emitQueueUpdate();
      return this.refuse(new AgentError("busy", ownToolText));
    }
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

const ownToolText =
  "The message is queued, but its own agent's tool can't wait for it: the run waits for the tool. Use followUp or steer.";

/** Waits for work of others; once aborted, no longer than the grace period. */
async function leaveLate(work: Promise<void>, signal: AbortSignal, graceMs = defaultAbortGraceMs): Promise<void> {
  const { promise: left, resolve } = Promise.withResolvers<void>();
  let stopTimer = () => {};
  const startGrace = () => {
    stopTimer = startTimer(graceMs, resolve);
  };
  signal.addEventListener("abort", startGrace, { once: true });
  if (signal.aborted) startGrace();
  await Promise.race([work, left]);
  stopTimer();
  signal.removeEventListener("abort", startGrace);
}

function busyError(): AgentError {
  return new AgentError("busy", "The agent is already running.");
}
