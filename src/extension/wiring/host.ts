import * as vscode from "vscode";
import { createFailureReporter } from "../common/failures.ts";
import { openWorkspaceStorage } from "../storage/openStorage.ts";
import { placeOfUri } from "../workspace/editorRoots.ts";

/** What every part needs: where things are kept, who ends them, who hears of trouble. */
export async function createHost(context: vscode.ExtensionContext) {
  const own = <Owned extends vscode.Disposable>(disposable: Owned): Owned => {
    context.subscriptions.push(disposable);
    return disposable;
  };
  const log = own(vscode.window.createOutputChannel("Arbor", { log: true }));
  const { workspaceFile: file, workspaceFolders = [] } = vscode.workspace;
  const storage = own(
    await openWorkspaceStorage({
      workspace: { folders: workspaceFolders.map(({ uri }) => uri), ...(file !== undefined && { file }) },
      globalFolder: context.globalStorageUri.fsPath,
      editorFolder: context.storageUri?.fsPath,
    }),
  );
  for (const problem of storage.problems) log.error(problem instanceof Error ? problem : String(problem));
  if (storage.problems.length > 0) {
    const text = vscode.l10n.t(
      "Some of Arbor's earlier chats could not be moved to their new place. Arbor tries again when the window is opened next.",
    );
    void vscode.window.showWarningMessage(text);
  }
  return {
    context,
    own,
    log,
    reportFailure: createFailureReporter(log),
    warn: (message: string) => log.warn(message),
    storage,
    pathOf: (uri: vscode.Uri) => placeOfUri(uri)?.path,
  };
}
export type Host = Awaited<ReturnType<typeof createHost>>;
