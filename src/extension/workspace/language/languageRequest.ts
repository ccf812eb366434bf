import * as vscode from "vscode";
import { unlessAborted } from "../../common/abort.ts";

/** A server that loads a large project takes its time; one that says nothing by then hangs. */
const maxWaitMs = 20_000;

/** Asks the providers behind one of the editor's commands; rejects when they fail, hang, or the signal aborts. */
export async function askLanguage<T>(
  signal: AbortSignal,
  command: string,
  ...args: readonly unknown[]
): Promise<T | undefined> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]);
  return unlessAborted(vscode.commands.executeCommand<T | undefined>(command, ...args), patience);
}

/** A server that failed or hangs knows as little as none: the caller says so and looks elsewhere. */
export async function orNothing<T>(answer: Promise<T | undefined>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await answer;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
