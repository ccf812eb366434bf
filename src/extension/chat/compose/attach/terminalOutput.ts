import * as vscode from "vscode";
import { rememberLastCommand } from "./lastCommand.ts";
import type { TerminalOutput } from "./sources.ts";

/** Listens to the user's terminals; shells without the editor's integration tell nothing. */
export class TerminalListener implements vscode.Disposable {
  readonly #last = rememberLastCommand();
  readonly #listening: vscode.Disposable;

  constructor(reportFailure: (error: unknown) => void) {
    this.#listening = vscode.Disposable.from(
      vscode.window.onDidStartTerminalShellExecution(({ execution }) => {
        const shell = { command: execution.commandLine.value, read: () => execution.read() };
        this.#last.started(execution, shell).catch(reportFailure);
      }),
      vscode.window.onDidEndTerminalShellExecution(({ execution, exitCode }) => this.#last.ended(execution, exitCode)),
    );
  }

  get output(): TerminalOutput | undefined {
    return this.#last.output;
  }

  dispose(): void {
    this.#listening.dispose();
  }
}
