import { AgentError, errorText } from "../vocabulary/errors.ts";
import type { AgentMeta } from "../vocabulary/events.ts";
import type { AssistantMessage } from "../vocabulary/messages.ts";
import { emptyUsage } from "../vocabulary/usage.ts";
import type { RunResult } from "./runLoop.ts";

/** One whole run. Failures are in the result; a throw is a fault in whatever surrounds the loop. */
export type Runner = (signal: AbortSignal) => Promise<RunResult>;

/** Wraps a run. The first of a list is the outermost. */
export type Middleware = (next: Runner, agent: AgentMeta) => Runner;

/** Ends a run with code "timeout" once `ms` milliseconds have passed. What it appended so far is kept. */
export function timeout(ms: number): Middleware {
  return (next) => async (signal) => {
    const deadline = new AbortController();
    const error = new AgentError("timeout", `The run passed its deadline of ${ms} ms.`);
    const timer = setTimeout(() => deadline.abort(error), ms);
    try {
      const result = await next(AbortSignal.any([signal, deadline.signal]));
      const cutShort = deadline.signal.aborted && !signal.aborted && result.reason === "aborted";
      return cutShort ? { ...result, reason: "error", error } : result;
    } finally {
      clearTimeout(timer);
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
