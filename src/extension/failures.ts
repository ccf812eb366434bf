import * as vscode from "vscode";
import { UserError } from "./userError.ts";

/** Shows an expected failure verbatim; anything else is logged with its stack and shown generically. */
export function createFailureReporter(log: vscode.LogOutputChannel): (error: unknown) => void {
  return (error) => {
    if (isAbort(error)) return;
    if (error instanceof UserError) {
      void vscode.window.showWarningMessage(error.message);
      return;
    }
    log.error(error instanceof Error ? error : String(error));
    const showLog = vscode.l10n.t("Show Log");
    void vscode.window
      .showErrorMessage(vscode.l10n.t("Arbor ran into an unexpected problem."), showLog)
      .then((choice) => {
        if (choice === showLog) log.show();
      });
  };
}

/** Ours, or the editor's own: it cancels, for example, the opening of a file when another is opened meanwhile. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "Canceled");
}
