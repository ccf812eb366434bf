import type { FinishedRun, QueueName, RunState } from "../loop/runState.ts";
import { agentEnd, defaultAbortGraceMs, type RunOptions, type RunResult } from "../loop/runTypes.ts";
import { leaveLate, linkAbort } from "../vocabulary/abort.ts";
import { AgentError, errorText } from "../vocabulary/errors.ts";
import type { Effect } from "../vocabulary/hooks.ts";
import type { AgentMessage } from "../vocabulary/messages.ts";
import type { AgentSnapshot, ApprovalAnswers } from "../vocabulary/pause.ts";
import { emptyUsage } from "../vocabulary/usage.ts";
import { type ContinueOptions, type Input, type QueueHandle, toMessages } from "./agentOptions.ts";
import type { AgentInternals } from "./agentParts.ts";
import type { RunStream } from "./agentStream.ts";
import { runThroughMiddleware } from "./middleware.ts";
import { OpenWork, TranscriptEvents } from "./openWork.ts";
import { type DeliveringRun, QueuedMessages } from "./queuedMessages.ts";
import { DelayedStart } from "./queues.ts";
import { agentRunState } from "./runSetup.ts";
import { createTypedOutput, type TypedOutput } from "./typedOutput.ts";

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
  /** How it had ended when its parent was cut off. */
  finished?: FinishedRun;
  /** It goes on with what it did before. */
  resumes?: true;
}

interface ActiveRun extends DeliveringRun {
  state: RunState;
  controller: AbortController;
  output: TypedOutput | undefined;
}

/** The one place where an agent's runs start, are refused, stopped and ended. */
export class AgentRuns {
  readonly queued: QueuedMessages;
  readonly #parts: AgentInternals;
  #active: ActiveRun | undefined;
  readonly #delayedStart = new DelayedStart();
  #disposed = false;
  readonly #transcript: TranscriptEvents;
  readonly #open: OpenWork;

  constructor(parts: AgentInternals) {
    this.#parts = parts;
    this.queued = new QueuedMessages(parts, {
      running: () => this.#active,
      refuse: (error, stream) => this.refuse(error, stream),
    });
    this.#open = new OpenWork(parts);
    this.#transcript = new TranscriptEvents(parts);
  }

  /** The run under way. */
  get state(): RunState | undefined {
    return this.#active?.state;
  }

  get isRunning(): boolean {
    return this.#active !== undefined;
  }

  /** The agent as it could be restored. */
  snapshot(): AgentSnapshot {
    return this.#open.snapshot();
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
    const messages = this.queued.withOwnIds(given);
    if (this.#active === undefined) return this.start({ options, ...this.#open.startWith(messages) }, stream);
    const whenBusy = options.whenBusy ?? this.#parts.settings.whenBusy;
    if (whenBusy === "reject") throw busyError();
    return this.queued.wait(whenBusy === "steer" ? "steering" : "followUp", messages, options, stream);
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
      drain: (name) => this.queued.drain(name),
      ...(start.effects === undefined ? {} : { effects: start.effects }),
      ...(output === undefined ? {} : { output }),
      ...(start.answers === undefined ? {} : { open: { answers: start.answers, children: this.#open.children } }),
      ...(start.finished === undefined ? {} : { finished: start.finished }),
    });
    this.#open.forget();
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
    if (this.#open.hasCalls) return undefined;
    if (last === undefined) {
      return new AgentError("empty_transcript", "There is nothing to continue: send a message first.");
    }
    if (last.role !== "assistant" || !queues.isEmpty) return undefined;
    return new AgentError("cannot_continue", "The model has answered and nothing is queued: send a message.");
  }

  /** Asks the model about the transcript as it is or, where that ends with an answer, with what is queued. */
  continue(options: ContinueOptions): Promise<RunResult> {
    const goesOn = options.children === undefined ? {} : { resumes: true as const };
    if (this.#open.hasCalls) return this.start({ prompts: () => [], options, answers: {}, resumes: true });
    if (this.#parts.history.lastShown?.role === "assistant") return this.#startQueued(options);
    return this.start({ prompts: () => [], options, ...goesOn });
  }

  /** Calls that were cut off run again, with these sub-agents. */
  reopen(children: AgentSnapshot["children"]): void {
    if (!this.isRunning) this.#open.reopen(children);
  }

  /** Goes on with the calls that wait. */
  async answer(answers: ApprovalAnswers, options: RunOptions): Promise<RunResult> {
    const refusal = this.closedError ?? (this.isRunning ? busyError() : undefined);
    if (refusal !== undefined) throw refusal;
    if (!this.#open.hasCalls) throw new AgentError("cannot_continue", "No call of this agent waits for approval.");
    return this.start({ prompts: () => [], options, answers, resumes: true });
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

  /** Also waits for messages that an abort left queued, where they start a run. */
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
    return this.queued.enqueue(name, input);
  }

  /** Lets the next request of the run under way offer the tools as they are now. */
  offerTools(): void {
    if (this.#active === undefined) return;
    const { state, output } = this.#active;
    state.context.tools = [...this.#parts.settings.tools, ...(output?.tools ?? [])];
  }

  /** The transcript as a whole, where it changed outside a run. */
  emitTranscript(reason: Parameters<TranscriptEvents["emit"]>[0]): void {
    this.#transcript.emit(reason);
  }

  async #run(active: ActiveRun, { prompts, options, resumes }: RunStart): Promise<RunResult> {
    const { node, owner, session, settings } = this.#parts;
    const { controller, state } = active;
    const { middleware = [] } = settings.options;
    const unlink = [linkAbort(options.signal, controller), linkAbort(owner?.signal, controller)];
    node.beginRun();
    node.emit({ type: "agent_start", ...(resumes && { resumes }) });
    this.#transcript.emitInitial();
    const ended = await runThroughMiddleware(state, { controller, middleware, prompts });
    session?.saveUsage();
    if (session !== undefined)
      await leaveLate(session.flush(), controller.signal, state.config.abortGraceMs ?? defaultAbortGraceMs);
    for (const undo of unlink) undo();
    const result = ended.reason === "paused" ? this.#open.pause(ended, state) : { ...ended, ...active.output?.value };
    this.#active = undefined;
    node.emit(agentEnd(result));
    for (const stream of active.delivered) stream.settle(result);
    this.#resumeAfter(result);
    return result;
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
    return this.start({ prompts: () => this.queued.drain(name), options, skipsFirstSteering: name === "steering" });
  }
}

function busyError(): AgentError {
  return new AgentError("busy", "The agent is already running.");
}
