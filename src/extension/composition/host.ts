import * as vscode from "vscode";
import { createFailureReporter } from "../failures.ts";
import { placeOfUri } from "../workspace/editorRoots.ts";

/** What every part needs: where things are kept, who ends them, who hears of trouble. */
export function createHost(context: vscode.ExtensionContext) {
  const own = <Owned extends vscode.Disposable>(disposable: Owned): Owned => {
    context.subscriptions.push(disposable);
    return disposable;
  };
  const log = own(vscode.window.createOutputChannel("Arbor", { log: true }));
  return {
    context,
    own,
    log,
    reportFailure: createFailureReporter(log),
    warn: (message: string) => log.warn(message),
    storageFolder: (context.storageUri ?? context.globalStorageUri).fsPath,
    pathOf: (uri: vscode.Uri) => placeOfUri(uri)?.path,
  };
}
export type Host = ReturnType<typeof createHost>;
