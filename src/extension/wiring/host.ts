import * as vscode from "vscode";
import { UserError } from "../common/userError.ts";
import { probeSandbox, type SandboxProbe } from "../sandbox/probe.ts";
import { openWorkspaceStorage } from "../storage/openStorage.ts";
import { diskRoots, editorRoots, refuseGoneRoot, resolveUri } from "../workspace/editorRoots.ts";
import { fileProblemOf } from "../workspace/fileProblems.ts";

/** What every part needs: where things are stored, who disposes of them, where failures are reported. */
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
      "Some earlier chats could not be moved to their new location. Arbor tries again when the window opens next.",
    );
    void vscode.window.showWarningMessage(text);
  }
  let probe: Promise<SandboxProbe> | undefined;
  return {
    context,
    own,
    log,
    reportFailure: createFailureReporter(log),
    warn: (message: string) => log.warn(message),
    storage,
    pathOf: (uri: vscode.Uri) => resolveUri(uri)?.path,
    /** Tried once. */
    probeSandbox() {
      probe ??= probeSandbox({ environment: process.env, roots: diskRoots() });
      return probe;
    },
  };
}
export type Host = Awaited<ReturnType<typeof createHost>>;

/** Shows an expected failure verbatim; anything else is logged with its stack and shown in general words. */
function createFailureReporter(log: vscode.LogOutputChannel): (error: unknown) => void {
  return (error) => {
    if (isAbort(error)) return;
    if (error instanceof UserError) {
      void vscode.window.showWarningMessage(error.message);
      return;
    }
    log.error(error instanceof Error ? error : String(error));
    void generalWords(error).then(async (words) => {
      const showLog = vscode.l10n.t("Show Log");
      const choice = await vscode.window.showErrorMessage(words, showLog);
      if (choice === showLog) log.show();
    });
  };
}

/** What a person can do something about is named wherever it comes from. */
async function generalWords(error: unknown): Promise<string> {
  const problem = fileProblemOf(error);
  if (problem === "disk full") return vscode.l10n.t("The disk is full. Make room and try again.");
  if (problem === "read-only") return vscode.l10n.t("A file or folder can't be written. {0}", textOf(error));
  if (problem === "missing") {
    try {
      for (const root of editorRoots()) await refuseGoneRoot(root);
    } catch (gone) {
      if (gone instanceof UserError) return gone.message;
    }
  }
  return vscode.l10n.t("Arbor ran into an unexpected problem.");
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Ours, or the editor's own: it cancels, for example, the opening of a file when another is opened meanwhile. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "Canceled");
}
