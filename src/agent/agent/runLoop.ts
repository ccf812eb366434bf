import { agentEnd } from "../loop/agentEnd.ts";
import { AgentNode } from "../loop/agentNode.ts";
import { EventSession } from "../loop/eventSession.ts";
import { BufferedStream } from "../loop/eventStream.ts";
import { runTurns } from "../loop/run.ts";
import { createRunState } from "../loop/runState.ts";
import type { AgentError } from "../vocabulary/errors.ts";
import type { AgentEvent, AgentMeta, EndReason, EventStream, LimitName } from "../vocabulary/events.ts";
import type { Effect, LoopContext, LoopHooks } from "../vocabulary/hooks.ts";
import type { AgentMessage, AssistantMessage } from "../vocabulary/messages.ts";
import { sinceCheckpoint } from "../vocabulary/messages.ts";
import type { Model, StreamFn, StreamOptions, ThinkingLevel } from "../vocabulary/model.ts";
import { createScope, type ExecutionScope, enterScope } from "../vocabulary/scope.ts";
import type { Usage } from "../vocabulary/usage.ts";
import { Agent } from "./agent.ts";

/** What a run needs besides its context. */
export interface LoopConfig {
  model: Model;
  streamFn: StreamFn;
  /** Options of every request. */
  streamOptions?: StreamOptions;
  /** Whether the calls of one message may overlap; default "parallel". */
  toolExecution?: "parallel" | "sequential";
  hooks?: LoopHooks;
  effects?: Effect[];
  /** Requests per run; absent or 0 means unlimited. */
  maxIterations?: number;
  /** How long an aborted tool may take to settle before it is left, in milliseconds; default 2000. */
  abortGraceMs?: number;
  scope?: ExecutionScope;
  meta?: AgentMeta;
  thinkingLevel?: ThinkingLevel;
  /** A tool that takes longer gets an error result and its signal is aborted; milliseconds, unlimited by default. */
  toolTimeoutMs?: number;
  /** How often a turn that a provider fault cut off is asked again; default 0. */
  turnRetries?: number;
}

/** How a run ended. `messages` are those it appended, prompts included; `usage` is what it and its descendants spent. */
export interface RunResult {
  reason: EndReason;
  messages: AgentMessage[];
  finalMessage?: AssistantMessage;
  /** What `complete_task` or `return_to_user` gave, or the last text of a run that a limit ended. */
  result?: unknown;
  usage: Usage;
  error?: AgentError;
  /** The limit that ended the run, and the same in words. */
  limit?: LimitName;
  limitText?: string;
}

/**
 * Runs the loop without an agent around it: turns of one model request and its tool batch, until nothing is left to
 * do. The context handed in is not changed. The stream's `result` resolves however the run ends.
 */
export function runLoop(
  prompts: AgentMessage[],
  context: LoopContext,
  config: LoopConfig,
  signal: AbortSignal = new AbortController().signal,
): EventStream<AgentEvent, RunResult> {
  const meta = config.meta ?? { id: crypto.randomUUID(), prefix: "🤖", depth: 0, model: config.model.id };
  const session = new EventSession(config.streamOptions?.sessionId);
  const node = new AgentNode({
    meta,
    session,
    createAgent: (options, lineage) => new Agent(options, lineage),
  });
  const state = createRunState({
    node,
    config,
    context: { ...context, messages: sinceCheckpoint(context.messages), tools: [...context.tools] },
    scope: enterScope(config.scope ?? createScope(), meta.name ?? meta.id),
    signal,
  });
  const stream = new BufferedStream<AgentEvent, RunResult>();
  node.attach(stream);
  node.beginRun();
  node.emit({ type: "agent_start" });
  void runTurns(state, prompts).then((result) => {
    node.emit(agentEnd(result));
    stream.settle(result);
  });
  return stream;
}
