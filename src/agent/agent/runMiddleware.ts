import { runTurns } from "../loop/run.ts";
import type { RunState } from "../loop/runState.ts";
import { AgentError, errorText } from "../vocabulary/errors.ts";
import type { AgentMessage } from "../vocabulary/messages.ts";
import { abortedError } from "../vocabulary/signals.ts";
import type { Middleware, Runner } from "./middleware.ts";
import type { RunResult } from "./runLoop.ts";

/**
 * Runs the loop inside its middleware; the first of the list is outermost. Whatever the middleware does, the loop has
 * ended when this resolves. A loop that is run again goes on from the transcript, without the prompts.
 */
export async function runThroughMiddleware(
  state: RunState,
  o: { controller: AbortController; middleware: readonly Middleware[]; prompts: () => AgentMessage[] },
): Promise<RunResult> {
  const { controller, middleware, prompts } = o;
  const { node } = state;
  const open = new Set<Promise<RunResult>>();
  let isFirst = true;
  const loop: Runner = async (signal) => {
    state.signal = signal;
    state.ending = undefined;
    const running = runTurns(state, isFirst ? prompts() : []);
    isFirst = false;
    open.add(running);
    const result = await running;
    open.delete(running);
    return result;
  };
  try {
    return await middleware.reduceRight((next, wrap) => wrap(next, node.meta), loop)(controller.signal);
  } catch (error) {
    return { ...failureOf(error, controller.signal), messages: state.newMessages, usage: node.runUsage };
  } finally {
    if (open.size > 0) controller.abort(new AgentError("aborted", "The run was left by its middleware."));
    await Promise.all(open);
  }
}

function failureOf(error: unknown, signal: AbortSignal): Pick<RunResult, "reason"> & { error: AgentError } {
  if (signal.aborted) return { reason: "aborted", error: abortedError(signal) };
  if (error instanceof AgentError) return { reason: error.code === "aborted" ? "aborted" : "error", error };
  return { reason: "error", error: new AgentError("hook", errorText(error), { cause: error }) };
}
