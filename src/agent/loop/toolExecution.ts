import { type InnerAbort, innerAbort, onAbort, startTimer, untilAborted } from "../vocabulary/abort.ts";
import { AgentError, errorText, FatalToolError } from "../vocabulary/errors.ts";
import type { ToolCall, ToolResult } from "../vocabulary/messages.ts";
import { type AgentSnapshot, PausedError, type PendingApproval } from "../vocabulary/pause.ts";
import { copyPlain } from "../vocabulary/plainJson.ts";
import type { AgentTool, ToolContext } from "../vocabulary/tools.ts";
import { emptyUsage } from "../vocabulary/usage.ts";
import type { PendingCall, RunState } from "./runState.ts";
import { defaultAbortGraceMs } from "./runTypes.ts";
import { callInfo, type PreparedCall } from "./toolCall.ts";
import { type AnsweredCall, errorResult, normalizeResult } from "./toolResult.ts";
import { openToolScope } from "./toolScope.ts";

/** What came of a tool, and whether its own words count or the loop's. */
type Outcome = { given: unknown } | { thrown: unknown } | { abandoned: "aborted" | "timeout" };

/**
 * Runs one prepared call to its one result. The tool is left when it outruns its time or does not heed an abort within
 * the grace period; its sub-agents have ended when this resolves.
 */
export async function executeCall(
  state: RunState,
  prepared: PreparedCall,
  tools: readonly AgentTool[],
): Promise<AnsweredCall | PendingCall> {
  const { call, tool, args } = prepared;
  const abort = innerAbort(state.signal);
  const open = openCall(state, call, tools, abort);
  const scope = openToolScope(state.node);
  const running = execute(state, abort, () => scope.run(() => tool.execute(args, open.context)));
  const outcome = running instanceof Promise ? await running : running;
  scope.close();
  abort.release();
  const pending = pausedBy(outcome, state);
  const children = pending === undefined ? [] : open.snapshots();
  const ended = open.settle();
  if (ended !== undefined) await ended;
  if (pending !== undefined) return { call, approvals: pending, children };
  if ("thrown" in outcome && outcome.thrown instanceof FatalToolError) {
    return { call, result: errorResult(outcome.thrown.message), isError: true, fatal: outcome.thrown };
  }
  const result = resultOf(state, outcome);
  return { call, result, isError: result.isError === true };
}

/** What the tool's sub-agents wait for, where it has let their pause pass. */
function pausedBy(outcome: Outcome, { signal }: RunState): PendingApproval[] | undefined {
  if (signal.aborted || !("thrown" in outcome) || !(outcome.thrown instanceof PausedError)) return undefined;
  return outcome.thrown.pending;
}

function resultOf(state: RunState, outcome: Outcome): ToolResult {
  if ("given" in outcome) return normalizeResult(outcome.given);
  if ("abandoned" in outcome) {
    if (outcome.abandoned === "aborted") return errorResult("The call was aborted.");
    return errorResult(`The call timed out after ${state.config.toolTimeoutMs} ms.`);
  }
  if (state.signal.aborted) return errorResult(`The call was aborted: ${errorText(outcome.thrown)}`);
  return errorResult(errorText(outcome.thrown));
}

/** Runs the tool. One that answers at once is neither timed nor watched. */
function execute(state: RunState, abort: InnerAbort, run: () => unknown): Outcome | Promise<Outcome> {
  try {
    const given = run();
    return isThenable(given) ? watch(state, abort, given) : { given };
  } catch (thrown) {
    return { thrown };
  }
}

/** Tools of applications may answer with promises that are not the platform's. */
function isThenable(given: unknown): given is PromiseLike<unknown> {
  return typeof given === "object" && given !== null && "then" in given && typeof given.then === "function";
}

/** Resolves with the tool's outcome, or without it when its time is up. */
async function watch(state: RunState, abort: InnerAbort, running: PromiseLike<unknown>): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const timers: (() => void)[] = [];
  const after = (ms: number, act: () => void) => timers.push(startTimer(ms, act));

  const listening = onAbort(state.signal, () =>
    after(state.config.abortGraceMs ?? defaultAbortGraceMs, () => resolve({ abandoned: "aborted" })),
  );
  const { toolTimeoutMs } = state.config;
  if (toolTimeoutMs !== undefined) {
    after(toolTimeoutMs, () => {
      resolve({ abandoned: "timeout" });
      abort.abort(new AgentError("timeout", `The tool passed its time of ${toolTimeoutMs} ms.`));
    });
  }
  running.then(
    (given) => resolve({ given }),
    (thrown: unknown) => resolve({ thrown }),
  );
  try {
    return await promise;
  } finally {
    listening.dispose();
    for (const stop of timers) stop();
  }
}

/** Asks `afterToolCall` about a call that was executed; each field it gives replaces that part of the result. */
export async function reviewResult(
  state: RunState,
  prepared: PreparedCall,
  answered: AnsweredCall,
): Promise<AnsweredCall> {
  const { hooks, signal } = state;
  if (hooks.afterToolCall === undefined || signal.aborted) return answered;
  const { result, isError } = answered;
  try {
    const info = Object.assign(callInfo(state, prepared), { result: copyPlain(result), isError });
    const patch = await untilAborted(hooks.afterToolCall(info), signal);
    if (patch === undefined) return answered;
    const patched = normalizeResult({ ...result, ...patch });
    return { ...answered, result: patched, isError: patch.isError ?? isError };
  } catch (error) {
    if (signal.aborted) return answered;
    return { ...answered, result: errorResult(`The result could not be checked: ${errorText(error)}`), isError: true };
  }
}

/** A running call's context, and what ends it. */
interface OpenToolCall {
  context: ToolContext;
  /** The sub-agents of the call, as they are now. */
  snapshots(): AgentSnapshot[];
  /** The context is dead from here on; resolves once the call's sub-agents have ended. Undefined where there are none. */
  settle(): Promise<void> | undefined;
}

/** Opens the context of one tool call. Nothing of it does anything once the call has settled. */
function openCall(state: RunState, call: ToolCall, tools: readonly AgentTool[], abort: InnerAbort): OpenToolCall {
  const { node, scope } = state;
  const { id: callId, name: toolName } = call;
  let settled = false;
  const subAgents = state.openSubAgents(state, { call, tools, abort });
  const context: ToolContext = {
    get signal() {
      return abort.signal;
    },
    callId,
    agent: node.meta,
    depth: node.meta.depth,
    subAgents: subAgents.creator,
    scope,
    get tools() {
      return [...tools];
    },
    update(partial) {
      if (settled) return;
      node.emit({ type: "tool_execution_update", callId, toolName, partial: normalizeResult(partial) });
    },
    output(text) {
      if (settled || text === "") return;
      node.emit({ type: "tool_execution_update", callId, toolName, output: text });
    },
    reportUsage(usage) {
      if (settled) return;
      const delta = { ...emptyUsage(), ...usage };
      scope.charge(delta.cost);
      node.addUsage(delta, state.model, { isRequest: false });
    },
  };
  return {
    context,
    snapshots: subAgents.snapshots,
    settle() {
      settled = true;
      return subAgents.close();
    },
  };
}
