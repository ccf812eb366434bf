import { createRunState, type FinishedRun, type OpenCalls, type QueueName, type RunState } from "../loop/runState.ts";
import type { LoopConfig, RunOptions } from "../loop/runTypes.ts";
import { delegationToolNames } from "../toolkits/delegation.ts";
import { untilAborted } from "../vocabulary/abort.ts";
import { composeHooks } from "../vocabulary/composeHooks.ts";
import type { Effect, ExtendedHooks, LoopHooks, MissingToolHook, ReviseCallHook } from "../vocabulary/hooks.ts";
import type { AgentMessage } from "../vocabulary/messages.ts";
import { sinceCheckpoint } from "../vocabulary/projection.ts";
import { createScope, type ExecutionScope, enterScope, limitScope } from "../vocabulary/scope.ts";
import type { AgentInternals } from "./agentParts.ts";
import type { TypedOutput } from "./typedOutput.ts";

/** What one run has of its own. */
export interface RunChoices {
  signal: AbortSignal;
  options: RunOptions;
  skipsFirstSteering: boolean;
  /** In place of the agent's own. */
  effects?: Effect[];
  output?: TypedOutput;
  open?: OpenCalls;
  finished?: FinishedRun;
  drain(name: QueueName): AgentMessage[];
}

/** A run of an agent as the loop takes it: its settings as they are now, its queues, its place in the tree. */
export function agentRunState(parts: AgentInternals, o: RunChoices): RunState {
  const { openSubAgents, node, history, settings, lineage, session } = parts;
  const { options } = settings;
  const scope = scopeOf(parts, o.options);
  const { maxIterations, maxTurns, maxCost, maxTokens } = options;
  const mayDelegate = scope.maxDepth === undefined || node.meta.depth < scope.maxDepth;
  let skips = o.skipsFirstSteering;
  const state: RunState = createRunState({
    node,
    openSubAgents,
    config: {
      ...configOf(parts, hooksOf(parts, o)),
      ...(o.effects === undefined ? {} : { effects: o.effects }),
    },
    context: {
      systemPrompt: settings.systemPrompt,
      messages: sinceCheckpoint(history.messages),
      tools: [...settings.tools, ...(o.output?.tools ?? [])],
    },
    scope,
    signal: o.signal,
    ancestorHooks: lineage?.inheritance.beforeToolCall ?? [],
    missingTool: missingToolHooks(parts),
    ...reviseCallOf(parts),
    limits: { maxIterations, maxTurns, maxCost, maxTokens, scope },
    onLimit: options.onLimit ?? "error",
    isOffered: (tool) => mayDelegate || !delegationToolNames.has(tool.name),
    drain(name) {
      const isSkipped = skips && name === "steering";
      skips &&= !isSkipped;
      return isSkipped ? [] : o.drain(name);
    },
    ...(o.output?.format === undefined ? {} : { format: o.output.format }),
    ...(o.open === undefined ? {} : { open: o.open }),
    ...(o.finished === undefined ? {} : { finished: o.finished }),
    ...(session === undefined
      ? {}
      : {
          // A tool may end the process: its prompt, its call and what they cost are stored before it runs. An abort
          // ends the wait; the calls are answered all the same.
          persist: () => untilAborted(session.flush(), state.signal).catch(() => {}),
          persistResult: (message: AgentMessage) => session.appendEarly(message),
        }),
    ...(settings.needsProjectContext ? { prepare: () => prepare() } : {}),
  });
  const prepare = async () => {
    await settings.readProjectContext();
    state.context.systemPrompt = settings.systemPrompt;
  };
  return state;
}

function scopeOf({ node, settings, lineage }: AgentInternals, options: RunOptions): ExecutionScope {
  const { scope, maxDepth, maxSpend } = settings.options;
  const name = node.meta.name ?? node.meta.id;
  const given = options.scope ?? scope ?? lineage?.scope.child(name) ?? createScope();
  const limits = { ...(maxDepth === undefined ? {} : { maxDepth }), ...(maxSpend === undefined ? {} : { maxSpend }) };
  return enterScope(limitScope(given, limits), name);
}

function configOf({ settings, lineage }: AgentInternals, hooks: LoopHooks): LoopConfig {
  const { model, streamFn, effects, toolExecution, thinkingLevel, options } = settings;
  const { streamOptions, abortGraceMs, toolTimeoutMs, turnRetries, clock, externalTurn } = {
    ...lineage?.inheritance.policies,
    ...options,
  };
  return {
    ...(externalTurn === undefined ? {} : { externalTurn }),
    ...{ model, streamFn, effects, toolExecution, thinkingLevel, hooks },
    ...(streamOptions === undefined ? {} : { streamOptions }),
    ...(abortGraceMs === undefined ? {} : { abortGraceMs }),
    ...(toolTimeoutMs === undefined ? {} : { toolTimeoutMs }),
    ...(turnRetries === undefined ? {} : { turnRetries }),
    ...(clock === undefined ? {} : { clock }),
  };
}

/** The agent's hooks, then those of this run. A child without a key of its own asks its parent's hook. */
function missingToolHooks({ settings, lineage }: AgentInternals): MissingToolHook[] {
  const hooks: ExtendedHooks = settings.options.hooks ?? {};
  const own = hooks.missingTool?.bind(hooks);
  return [...(own === undefined ? [] : [own]), ...(lineage?.inheritance.missingTool ?? [])];
}

function reviseCallOf({ settings }: AgentInternals): { reviseCall?: ReviseCallHook } {
  const hooks: ExtendedHooks = settings.options.hooks ?? {};
  return hooks.reviseCall === undefined ? {} : { reviseCall: hooks.reviseCall.bind(hooks) };
}

function hooksOf({ settings, lineage }: AgentInternals, { options, output }: RunChoices): LoopHooks {
  const { hooks = {} } = settings.options;
  const inheritedKey = hooks.getApiKey === undefined ? lineage?.inheritance.getApiKey : undefined;
  return composeHooks(
    hooks,
    options.hooks ?? {},
    output?.hooks ?? {},
    inheritedKey === undefined ? {} : { getApiKey: inheritedKey },
  );
}
