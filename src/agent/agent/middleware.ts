import { runTurns } from "../loop/run.ts";
import type { RunState } from "../loop/runState.ts";
import { defaultAbortGraceMs, type RunResult } from "../loop/runTypes.ts";
import { abortedError, linkAbort, onAbort, startTimer } from "../vocabulary/abort.ts";
import { AgentError, checkNumbers, errorText } from "../vocabulary/errors.ts";
import type { AgentMeta } from "../vocabulary/events.ts";
import type { AgentMessage, AssistantMessage } from "../vocabulary/messages.ts";
import { emptyUsage } from "../vocabulary/usage.ts";

/** One whole run. Failures are in the result; a throw is a fault in whatever surrounds the loop. */
export type Runner = (signal: AbortSignal) => Promise<RunResult>;

/** Wraps a run. The first of a list is the outermost. */
export type Middleware = (next: Runner, agent: AgentMeta) => Runner;

/** Ends a run with code "timeout" once `ms` milliseconds have passed. What it appended so far is kept. */
export function timeout(ms: number): Middleware {
  checkNumbers({ ms });
  return (next) => async (signal) => {
    const deadline = new AbortController();
    const error = new AgentError("timeout", `The run passed its deadline of ${ms} ms.`);
    const stopTimer = startTimer(ms, () => deadline.abort(error));
    try {
      const result = await next(AbortSignal.any([signal, deadline.signal]));
      const cutShort = deadline.signal.aborted && !signal.aborted && result.reason === "aborted";
      return cutShort ? { ...result, reason: "error", error } : result;
    } finally {
      stopTimer();
    }
  };
}

/** Turns a throw of the inner run into a run that ended with an error. */
export function recovery(): Middleware {
  return (next) => async (signal) => {
    try {
      return await next(signal);
    } catch (cause) {
      const error = new AgentError("hook", `agent panicked: ${errorText(cause)}`, { cause });
      return { reason: "error", messages: [], usage: emptyUsage(), error };
    }
  };
}

/** Writes a line when a run starts and one when it ends. An abort is what the user asked for, hence no error. */
export function logger(log: { info(message: string): void; error(message: string): void }): Middleware {
  return (next, agent) => async (signal) => {
    const name = agent.name ?? agent.id;
    const startedAt = performance.now();
    const elapsed = () => `${Math.round(performance.now() - startedAt)} ms`;
    log.info(`${name}: run started`);
    try {
      const result = await next(signal);
      if (result.reason === "error") log.error(`${name}: run failed after ${elapsed()}: ${errorText(result.error)}`);
      else log.info(`${name}: run finished in ${elapsed()} (${result.reason})`);
      return result;
    } catch (error) {
      log.error(`${name}: run failed after ${elapsed()}: ${errorText(error)}`);
      throw error;
    }
  };
}

/** Refuses a final message: when `check` throws, the run ends with that error and without the message. */
export function outputGuardrail(check: (message: AssistantMessage) => void | Promise<void>): Middleware {
  return (next) => async (signal) => {
    const result = await next(signal);
    const { finalMessage, result: _result, ...rest } = result;
    if (finalMessage === undefined || result.reason === "error" || result.reason === "aborted") return result;
    try {
      await check(finalMessage);
      return result;
    } catch (cause) {
      const error = new AgentError("validation", errorText(cause), { cause });
      return { ...rest, reason: "error", error };
    }
  };
}

/**
 * Runs the loop inside its middleware; the first of the list is outermost. Whatever the middleware does, the loop has
 * ended when this resolves: a layer that does not heed an abort is left. A loop that is run again goes on from the
 * transcript, without the prompts.
 */
export async function runThroughMiddleware(
  state: RunState,
  o: { controller: AbortController; middleware: readonly Middleware[]; prompts: () => AgentMessage[] },
): Promise<RunResult> {
  const { controller, middleware, prompts } = o;
  const { node } = state;
  const loops = createLoops(state, prompts);
  const withDefaults = (result: Ending): RunResult => ({
    messages: [...state.newMessages],
    usage: node.runUsage,
    ...result,
  });
  try {
    const wrapped = middleware.reduceRight<Runner>((next, wrap) => {
      const layer = wrap(next, node.meta);
      return (signal) => runLayer(() => layer(signal), { state, loops, signal, withDefaults });
    }, loops.run);
    return withDefaults(await wrapped(controller.signal));
  } catch (error) {
    return withDefaults(failureOf(error, controller.signal));
  } finally {
    await loops.close(new AgentError("aborted", "The run was left by its middleware."));
  }
}

/** How a run ended, without what the loop itself knows of it. */
type Ending = Pick<RunResult, "reason"> & Partial<RunResult>;

/** The runs of the loop that the innermost layer starts: one, or several where a middleware tries again. */
interface Loops {
  readonly run: Runner;
  /** Stops the loops that run; resolves when they have ended. */
  stop(reason: unknown): Promise<unknown>;
  /** Stops them, and starts none any more. */
  close(reason: AgentError): Promise<unknown>;
}

function createLoops(state: RunState, prompts: () => AgentMessage[]): Loops {
  const open = new Map<Promise<RunResult>, AbortController>();
  let isFirst = true;
  let closed: AgentError | undefined;
  const stop = (reason: unknown) => {
    for (const controller of open.values()) controller.abort(reason);
    return Promise.all(open.keys());
  };
  return {
    async run(signal) {
      if (closed !== undefined) throw closed;
      const controller = new AbortController();
      const unlink = linkAbort(signal, controller);
      state.signal = controller.signal;
      state.ending = undefined;
      const running = runTurns(state, isFirst ? prompts() : []);
      isFirst = false;
      open.set(running, controller);
      const result = await running;
      open.delete(running);
      unlink();
      return result;
    },
    stop,
    close(reason) {
      closed = reason;
      return stop(reason);
    },
  };
}

/** Runs one layer. When its signal aborts, the loop inside ends first; then the layer has the grace period to end. */
async function runLayer(
  layer: () => Promise<RunResult>,
  o: { state: RunState; loops: Loops; signal: AbortSignal; withDefaults(result: Ending): RunResult },
): Promise<RunResult> {
  const { state, loops, signal, withDefaults } = o;
  const { promise, resolve, reject } = Promise.withResolvers<RunResult>();
  let stopTimer = () => {};
  let hasEnded = false;
  const stop = async () => {
    await loops.stop(signal.reason);
    if (hasEnded) return;
    const leave = () => resolve(withDefaults({ reason: "aborted", error: abortedError(signal) }));
    stopTimer = startTimer(state.config.abortGraceMs ?? defaultAbortGraceMs, leave);
  };
  const listening = onAbort(signal, () => void stop());
  const run = async () => layer();
  run().then((result) => {
    if (isResult(result)) resolve(withDefaults(result));
    else reject(new AgentError("hook", "A middleware ended without the result of the run. Does it return it?"));
  }, reject);
  try {
    return await promise;
  } finally {
    hasEnded = true;
    stopTimer();
    listening.dispose();
  }
}

/** Types promise a result; a middleware may forget to return one. */
function isResult(result: unknown): result is Ending {
  return typeof result === "object" && result !== null && "reason" in result && typeof result.reason === "string";
}

function failureOf(error: unknown, signal: AbortSignal): Ending {
  if (signal.aborted) return { reason: "aborted", error: abortedError(signal) };
  if (error instanceof AgentError) return { reason: error.code === "aborted" ? "aborted" : "error", error };
  return { reason: "error", error: new AgentError("hook", errorText(error), { cause: error }) };
}
