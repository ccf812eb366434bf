import { AgentError, errorText, FatalToolError } from "../vocabulary/errors.ts";
import { linkAbort, untilAborted } from "../vocabulary/signals.ts";
import type { AgentTool, ToolResult } from "../vocabulary/tools.ts";
import type { RunState } from "./runState.ts";
import { callInfo, type PreparedCall } from "./toolCall.ts";
import { openCall } from "./toolContext.ts";
import { type AnsweredCall, errorResult, normalizeResult } from "./toolResult.ts";

const defaultAbortGraceMs = 2_000;

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
): Promise<AnsweredCall> {
  const { call, tool, args } = prepared;
  const controller = new AbortController();
  const unlink = linkAbort(state.signal, controller);
  const open = openCall(state, call, tools, controller.signal);
  const outcome = await execute(state, controller, () => tool.execute(args, open.context));
  unlink();
  await open.settle();
  if ("thrown" in outcome && outcome.thrown instanceof FatalToolError) {
    return { call, result: errorResult(outcome.thrown.message), isError: true, fatal: outcome.thrown };
  }
  const result = resultOf(state, outcome);
  return { call, result, isError: result.isError === true };
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
function execute(state: RunState, controller: AbortController, run: () => unknown): Outcome | Promise<Outcome> {
  try {
    const given = run();
    return isThenable(given) ? watch(state, controller, given) : { given };
  } catch (thrown) {
    return { thrown };
  }
}

/** Tools of applications may answer with promises that are not the platform's. */
function isThenable(given: unknown): given is PromiseLike<unknown> {
  return typeof given === "object" && given !== null && "then" in given && typeof given.then === "function";
}

/** Resolves with the tool's outcome, or without it when its time is up. */
async function watch(state: RunState, controller: AbortController, running: PromiseLike<unknown>): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const timers: ReturnType<typeof setTimeout>[] = [];
  const after = (ms: number, act: () => void) => timers.push(setTimeout(act, ms));

  const startGrace = () =>
    after(state.config.abortGraceMs ?? defaultAbortGraceMs, () => resolve({ abandoned: "aborted" }));
  state.signal.addEventListener("abort", startGrace, { once: true });
  if (state.signal.aborted) startGrace();
  const { toolTimeoutMs } = state.config;
  if (toolTimeoutMs !== undefined) {
    after(toolTimeoutMs, () => {
      resolve({ abandoned: "timeout" });
      controller.abort(new AgentError("timeout", `The tool passed its time of ${toolTimeoutMs} ms.`));
    });
  }
  running.then(
    (given) => resolve({ given }),
    (thrown: unknown) => resolve({ thrown }),
  );
  try {
    return await promise;
  } finally {
    state.signal.removeEventListener("abort", startGrace);
    for (const timer of timers) clearTimeout(timer);
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
    const info = Object.assign(callInfo(state, prepared), { result, isError });
    const patch = await untilAborted(hooks.afterToolCall(info), signal);
    if (patch === undefined) return answered;
    const patched = normalizeResult({ ...result, ...patch });
    return { ...answered, result: patched, isError: patch.isError ?? isError };
  } catch (error) {
    if (signal.aborted) return answered;
    return { ...answered, result: errorResult(`The result could not be checked: ${errorText(error)}`), isError: true };
  }
}
