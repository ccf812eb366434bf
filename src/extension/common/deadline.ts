import { createContext, Script } from "node:vm";

const call = new Script("work()");

/** The result of work that is stopped after so many milliseconds, which nothing else does to a regular expression. */
export function withinTime<T>(work: () => T, milliseconds: number): { result: T } | "timeout" {
  const done: { result?: { result: T } } = {};
  const context = createContext({
    work: () => {
      done.result = { result: work() };
    },
  });
  try {
    call.runInContext(context, { timeout: milliseconds });
  } catch (error) {
    if (isTimeout(error)) return "timeout";
    throw error;
  }
  return done.result ?? "timeout";
}

/** It is an error of the other context: no `Error` of ours. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}

/** Waits for a change, at most so many milliseconds. */
export async function firstOf(change: Promise<void>, delay: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, delay);
  try {
    await Promise.race([change, promise]);
  } finally {
    clearTimeout(timer);
  }
}
