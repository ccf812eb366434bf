import type * as z from "zod";
import { type AgentError, checkNumbers, errorText } from "../vocabulary/errors.ts";
import type { AgentMeta, EndReason, EventBody, LimitName, SerializedError } from "../vocabulary/events.ts";
import type { TakeTurn } from "../vocabulary/externalTurn.ts";
import type { Effect, LoopHooks } from "../vocabulary/hooks.ts";
import type { AgentMessage, AssistantMessage } from "../vocabulary/messages.ts";
import type { Model, StreamFn, StreamOptions, ThinkingLevel } from "../vocabulary/model.ts";
import type { PausedState, PendingApproval } from "../vocabulary/pause.ts";
import { plainJson } from "../vocabulary/plainJson.ts";
import type { RetryClock } from "../vocabulary/retries.ts";
import type { ExecutionScope } from "../vocabulary/scope.ts";
import type { Usage } from "../vocabulary/usage.ts";

export const defaultAbortGraceMs = 2_000;

/** What a run needs besides its context. */
export interface LoopConfig {
  model: Model;
  streamFn: StreamFn;
  /** Whether another program takes the turns of an agent that has this model; undefined where the loop does. */
  externalTurn?: (model: Model) => TakeTurn | undefined;
  /** Options of every request. */
  streamOptions?: StreamOptions;
  /** Whether the calls of one message may overlap; default "parallel". */
  toolExecution?: "parallel" | "sequential";
  hooks?: LoopHooks;
  effects?: Effect[];
  /** Requests per run; absent or 0 means unlimited. */
  maxIterations?: number;
  /** How long an aborted tool or middleware may take to end before it is left, in milliseconds; default 2000. */
  abortGraceMs?: number;
  scope?: ExecutionScope;
  meta?: AgentMeta;
  thinkingLevel?: ThinkingLevel;
  /** A tool that takes longer gets an error result and its signal is aborted; milliseconds, unlimited by default. */
  toolTimeoutMs?: number;
  /** How often a turn that a provider fault cut off is asked again; default 0. */
  turnRetries?: number;
  /** What passes between the attempts of a turn; default the system's time. */
  clock?: RetryClock;
}

/** Throws "bad_input" for a limit or a time that is none. */
export function checkConfig(config: Partial<LoopConfig>): void {
  const { maxIterations, abortGraceMs, toolTimeoutMs, turnRetries } = config;
  checkNumbers({ maxIterations, abortGraceMs, toolTimeoutMs, turnRetries });
}

/** How a run ended. `messages` are those it appended, prompts included; `usage` is what it and its descendants spent. */
export interface RunResult {
  reason: EndReason;
  messages: AgentMessage[];
  finalMessage?: AssistantMessage;
  /** What `complete_task` or `return_to_user` gave, or the last text of a run that a limit ended. */
  result?: unknown;
  /** The result or the final message as text. */
  text?: string;
  /** Of a run that was sent with an `output` schema. */
  output?: unknown;
  usage: Usage;
  error?: AgentError;
  /** The calls wait for approval; `state` is what the run can go on from, in another process too. */
  status?: "paused";
  pending?: PendingApproval[];
  state?: PausedState;
  /** The limit that ended the run, and the same in words. */
  limit?: LimitName;
  limitText?: string;
}

/** What a send does while the agent runs. */
export type WhenBusy = "reject" | "followUp" | "steer";

export interface RunOptions {
  signal?: AbortSignal;
  whenBusy?: WhenBusy;
  scope?: ExecutionScope;
  /** For the run that this starts, besides the agent's own. */
  hooks?: LoopHooks;
  /** What the run is to result in: `RunResult.output` follows this schema. */
  output?: z.ZodType;
  /** How often an output is asked for, with what was wrong with the one before; default 3. */
  maxOutputAttempts?: number;
}

/** The last event of a run, from its result. */
export function agentEnd(run: RunResult): EventBody {
  const result = plainJson(run.result);
  return {
    type: "agent_end",
    reason: run.reason,
    messages: run.messages,
    ...(run.finalMessage === undefined ? {} : { finalMessage: run.finalMessage }),
    ...(result === undefined ? {} : { result }),
    usage: run.usage,
    ...(run.error === undefined ? {} : { error: serializeError(run.error) }),
    ...(run.pending === undefined ? {} : { pending: run.pending }),
  };
}

/** An error as events carry it; the text of its cause is in it once. */
function serializeError(error: AgentError): SerializedError {
  const { code, message, cause } = error;
  const causeText = cause === undefined ? "" : errorText(cause);
  return { code, message: message.includes(causeText) ? message : `${message}: ${causeText}` };
}

/** The result of a run that went well; throws the error of one that did not. */
export function succeeded(result: RunResult): RunResult {
  if (result.error !== undefined) throw result.error;
  return result;
}
