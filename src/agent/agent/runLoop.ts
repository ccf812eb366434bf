import { AgentNode } from "../loop/agentNode.ts";
import { EventSession } from "../loop/eventSession.ts";
import { BufferedStream } from "../loop/eventStream.ts";
import { runTurns } from "../loop/run.ts";
import { createRunState, type RunState } from "../loop/runState.ts";
import { agentEnd, checkConfig, type LoopConfig, type RunResult } from "../loop/runTypes.ts";
import { AgentError } from "../vocabulary/errors.ts";
import type { AgentEvent, EventStream } from "../vocabulary/events.ts";
import type { LoopContext } from "../vocabulary/hooks.ts";
import type { AgentMessage } from "../vocabulary/messages.ts";
import { sinceCheckpoint } from "../vocabulary/projection.ts";
import { createScope, enterScope } from "../vocabulary/scope.ts";
import { emptyUsage } from "../vocabulary/usage.ts";
import { createAgent, snapshotOf } from "./agent.ts";
import { subAgentOpener } from "./subAgents.ts";

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
  });
  const state = createRunState({
    node,
    openSubAgents: subAgentOpener({ create: createAgent, snapshot: snapshotOf, remove: () => {} }),
    config,
    context: { ...context, messages: sinceCheckpoint(context.messages), tools: [...context.tools] },
    scope: enterScope(config.scope ?? createScope(), meta.name ?? meta.id),
    signal,
  });
  node.noteCalls(context.messages);
  const stream = new BufferedStream<AgentEvent, RunResult>();
  node.attach(stream);
  node.beginRun();
  node.emit({ type: "agent_start" });
  void run(state, prompts).then((result) => {
    node.emit(agentEnd(result));
    stream.settle(result);
  });
  return stream;
}

/** Arguments that make no sense end the run too: a loop never throws. */
async function run(state: RunState, prompts: AgentMessage[]): Promise<RunResult> {
  try {
    checkConfig(state.config);
  } catch (error) {
    if (error instanceof AgentError) return { reason: "error", messages: [], usage: emptyUsage(), error };
    throw error;
  }
  return runTurns(state, prompts);
}
