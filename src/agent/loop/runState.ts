import { type InnerAbort, throwIfAborted, untilAborted } from "../vocabulary/abort.ts";
import { AgentError, errorText } from "../vocabulary/errors.ts";
import type { EndReason, EventBody, LimitName } from "../vocabulary/events.ts";
import type {
  Effect,
  Emit,
  LoopContext,
  LoopHooks,
  MissingToolHook,
  ReviseCallHook,
  Stop,
  Transcript,
} from "../vocabulary/hooks.ts";
import {
  type AgentMessage,
  type AssistantMessage,
  type LlmMessage,
  type ToolCall,
  type ToolResultMessage,
  textOf,
} from "../vocabulary/messages.ts";
import type { Model, OutputFormat, ThinkingLevel } from "../vocabulary/model.ts";
import type { AgentSnapshot, ApprovalAnswers, EndedRun, PendingApproval } from "../vocabulary/pause.ts";
import { copyPlain, freezePlain, plainJson } from "../vocabulary/plainJson.ts";
import type { ExecutionScope } from "../vocabulary/scope.ts";
import type { AgentCreator, AgentTool } from "../vocabulary/tools.ts";
import type { AgentNode } from "./agentNode.ts";
import { limitText, type SpendLimits, type Spent } from "./limits.ts";
import type { LoopConfig } from "./runTypes.ts";
import type { StreamedMessage } from "./streamedMessage.ts";

/** How a run ends. */
export interface Ending {
  reason: EndReason;
  error?: AgentError;
  result?: unknown;
  limit?: LimitName;
  limitText?: string;
  /** Of a run that paused. */
  pending?: PendingCall[];
}

/** The limit that makes the next answer the last one. */
interface LastRequest {
  limit: LimitName;
  text: string;
}

type OnLimit = "error" | "forceComplete" | ((limit: LimitName) => Promise<"extend" | "wrapUp" | "stop">);

/** What the default projection made of the transcript up to a request. */
interface Projection {
  source: AgentMessage[];
  length: number;
  messages: LlmMessage[];
}

/** A call that has no result yet: it waits for approval, or a sub-agent of it does. */
export interface PendingCall {
  call: ToolCall;
  approvals: PendingApproval[];
  children: AgentSnapshot[];
}

/** What a run goes on from: calls without a result, answers about them, and the sub-agents they had. */
export interface OpenCalls {
  answers: ApprovalAnswers;
  children: AgentSnapshot["children"];
}

/** A run that ended in an earlier process, with its last good answer. */
export interface FinishedRun extends EndedRun {
  message?: AssistantMessage;
}

/** The sub-agents of one tool call. */
interface CallSubAgents {
  creator: AgentCreator;
  /** Those that were created, as they are now. */
  snapshots(): AgentSnapshot[];
  /** From here on none is created; resolves once those that there are have ended. Undefined where there are none. */
  close(): Promise<void> | undefined;
}

/** Opens what a tool call creates its sub-agents with. */
export type OpenSubAgents = (state: RunState, call: SubAgentCall) => CallSubAgents;

interface SubAgentCall {
  call: ToolCall;
  tools: readonly AgentTool[];
  abort: InnerAbort;
}

/** One run while it lasts. Who started it may change model, context and thinking level: the next request uses them. */
export interface RunState {
  readonly node: AgentNode;
  /** How its tools create sub-agents. */
  readonly openSubAgents: OpenSubAgents;
  readonly config: LoopConfig;
  readonly hooks: LoopHooks;
  readonly effects: readonly Effect[];
  readonly scope: ExecutionScope;
  /** The loop's own, which a middleware may have made stricter than the run's. */
  signal: AbortSignal;
  readonly limits: SpendLimits;
  readonly onLimit: OnLimit;
  /** The ancestors' `beforeToolCall` hooks, nearest first. */
  readonly ancestorHooks: NonNullable<LoopHooks["beforeToolCall"]>[];
  /** The agent's own `missingTool` hook and its ancestors', nearest first. */
  readonly missingTool: readonly MissingToolHook[];
  /** The agent's own. */
  readonly reviseCall: ReviseCallHook | undefined;
  /** Takes what is due out of a queue. What it gives is delivered, also when an abort comes meanwhile. */
  readonly drain: (name: QueueName) => AgentMessage[];
  /** Resolves when what the run has so far is stored. */
  readonly persist: (() => Promise<void>) | undefined;
  /** Stores the result of a call that the transcript gets later. */
  readonly persistResult: ((message: ToolResultMessage) => void) | undefined;
  /** The run begins with the open calls of the transcript. */
  readonly open: OpenCalls | undefined;
  /** The run had ended like this already, but the caller that waited for it did not get it. */
  readonly finished: FinishedRun | undefined;
  /** What the answers have to follow. */
  readonly format: OutputFormat | undefined;
  /** What must be there before the first request. */
  readonly prepare: (() => Promise<void>) | undefined;
  /** Whether a tool is shown to the model. A call of one that is not shown still finds it. */
  readonly isOffered: (tool: AgentTool) => boolean;
  model: Model;
  thinkingLevel: ThinkingLevel;
  /** What the model is shown. Not the agent's transcript: effects may replace it. */
  context: LoopContext;
  newMessages: AgentMessage[];
  finalMessage: AssistantMessage | undefined;
  /** Requests made in this run, those asked again left out. */
  iteration: number;
  spent: Spent;
  extensions: Map<LimitName, number>;
  /** The next answer is the last one. */
  wrappingUp: LastRequest | undefined;
  ending: Ending | undefined;
  streamed: StreamedMessage | undefined;
  phase: "streaming" | "executing_tools";
  projection: Projection | undefined;
  /** The provider found this context too long; the next request must show another one, or the run has failed. */
  overflow: { error: AgentError; shown: AgentMessage[] } | undefined;
  /** How often the current turn was asked again. */
  retries: number;
}

/** What a run begins with; the rest follows from it. */
export type RunSetup = Pick<RunState, "node" | "openSubAgents" | "config" | "context" | "scope" | "signal"> &
  Partial<Pick<RunState, "ancestorHooks" | "missingTool" | "limits" | "onLimit" | "prepare" | "isOffered" | "drain">> &
  Partial<Pick<RunState, "reviseCall" | "persist" | "persistResult" | "open" | "finished" | "format">>;

export function createRunState(setup: RunSetup): RunState {
  const { config, scope } = setup;
  return {
    ...setup,
    hooks: config.hooks ?? {},
    effects: config.effects ?? [],
    ancestorHooks: setup.ancestorHooks ?? [],
    missingTool: setup.missingTool ?? [],
    reviseCall: setup.reviseCall,
    limits: setup.limits ?? { maxIterations: config.maxIterations, scope },
    onLimit: setup.onLimit ?? "error",
    drain: setup.drain ?? (() => []),
    persist: setup.persist,
    persistResult: setup.persistResult,
    open: setup.open,
    finished: setup.finished,
    format: setup.format,
    prepare: setup.prepare,
    isOffered: setup.isOffered ?? (() => true),
    model: config.model,
    thinkingLevel: config.thinkingLevel ?? config.streamOptions?.thinkingLevel ?? "off",
    newMessages: [],
    finalMessage: undefined,
    iteration: 0,
    spent: { requests: 0, cost: 0, tokens: 0 },
    extensions: new Map(),
    wrappingUp: undefined,
    ending: undefined,
    streamed: undefined,
    phase: "streaming",
    projection: undefined,
    overflow: undefined,
    retries: 0,
  };
}

/** Adds real messages with their events. */
export function append(state: RunState, messages: readonly AgentMessage[]): void {
  // Hooks and applications hand in messages of their own; cleaned to plain JSON, a message is still one.
  for (const message of messages) appendPlain(state, copyPlain(plainJson(message) as AgentMessage));
}

/** Adds a message that is plain JSON already. */
export function appendPlain(state: RunState, message: AgentMessage): void {
  state.node.emit({ type: "message_start", message });
  addMessage(state, message);
}

/** Adds a message whose start was already emitted. */
export function addMessage(state: RunState, message: AgentMessage): void {
  // Listeners and hooks are given this very message.
  freezePlain(message);
  state.context.messages.push(message);
  state.newMessages.push(message);
  state.node.emit({ type: "message_end", message });
}

export function transcriptOf(state: RunState): Transcript {
  return {
    list: () => [...state.context.messages],
    replace(next) {
      state.context.messages = [...next];
    },
    append: (...messages) => append(state, messages),
  };
}

/** Copies, so that a hook cannot change the run behind the loop's back. */
export function contextOf(state: RunState): LoopContext {
  const { systemPrompt, messages, tools } = state.context;
  return { systemPrompt, messages: [...messages], tools: [...tools] };
}

/** How hooks emit events. What they hand in need not be plain; cleaned, an event is still one. */
export function emitOf({ node }: RunState): Emit {
  return (event) => node.emit(plainJson(event) as EventBody);
}

export function stopOf(state: RunState): Stop {
  return (reason, { finalRequest = false, ...options } = {}) => {
    const { limit = "turns", limitText: text = limitText(limit, state.limits) } = options;
    if (finalRequest) state.wrappingUp ??= { limit, text };
    else if (options.limit === undefined) state.ending ??= { reason, ...options };
    else state.ending ??= limitEnding(state, { limit, text }, options);
  };
}

export function earlierEnding(state: RunState, { message, error, ...ending }: FinishedRun): Ending {
  state.finalMessage = message;
  return error === undefined ? ending : { ...ending, error: new AgentError(error.code, error.message) };
}

/** The run ends with the best text there is. */
export function limitEnding(state: RunState, { limit, text }: LastRequest, options: Partial<Ending> = {}): Ending {
  const last = state.newMessages.findLast((message) => message.role === "assistant" && textOf(message) !== "");
  return { reason: "limit", limit, limitText: text, result: last === undefined ? text : textOf(last), ...options };
}

/** Calls a hook that may fail or take long: its failure ends the run with code "hook", an abort leaves it at once. */
export async function callHook<T>(state: RunState, name: string, hook: () => T | Promise<T>): Promise<T> {
  throwIfAborted(state.signal);
  try {
    const result = hook();
    return result instanceof Promise ? await untilAborted(result, state.signal) : result;
  } catch (cause) {
    throwIfAborted(state.signal);
    if (cause instanceof AgentError) throw cause;
    throw new AgentError("hook", `${name} failed: ${errorText(cause)}`, { cause });
  }
}

export type QueueName = "steering" | "followUp";
