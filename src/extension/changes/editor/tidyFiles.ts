import * as vscode from "vscode";
import type { AgentEvent } from "../../../agent/index.ts";
import { fileEditsIn } from "../../../protocol/fileEdits.ts";

export interface TidyOptions {
  settings(): { formatsFiles: boolean; organizesImports: boolean };
  uriOf(path: string): vscode.Uri;
  /** Something of it waits for an answer: its lines are left as they are. */
  hasPending(path: string): boolean;
  /** Called with the files that were changed. */
  onTidied(paths: readonly string[]): Promise<void>;
  reportFailure(error: unknown): void;
}

const maxFiles = 200;

/**
 * Follows the events of a chat's agents: when its run has ended, the files that they edited are put in order as the user's
 * settings want it, by the editor's own formatters. Files in which something waits, or that are not saved, are left alone.
 */
export function tidyAfterRuns(options: TidyOptions): (event: AgentEvent) => void {
  const edited = new Set<string>();
  return (event) => {
    if (event.type === "tool_execution_end" && !event.isError) {
      for (const { path, movedTo, accepted } of fileEditsIn(event.result.details)) {
        if (accepted > 0) edited.add(movedTo ?? path);
      }
    }
    if (event.type !== "agent_end" || event.agent.depth > 0) return;
    const paths = [...edited].filter((path) => !options.hasPending(path)).slice(0, maxFiles);
    for (const path of paths) edited.delete(path);
    const { formatsFiles, organizesImports } = options.settings();
    if (paths.length > 0 && (formatsFiles || organizesImports)) tidyFiles(paths, options).catch(options.reportFailure);
  };
}

async function tidyFiles(paths: readonly string[], options: TidyOptions): Promise<void> {
  const tidied: string[] = [];
  for (const path of paths) {
    try {
      if (await tidyFile(path, options)) tidied.push(path);
    } catch (error) {
      // A formatter that fails at one file is no reason to leave the others.
      options.reportFailure(error);
    }
  }
  if (tidied.length > 0) await options.onTidied(tidied);
}

/** Whether it was changed. */
async function tidyFile(path: string, { settings, uriOf, hasPending }: TidyOptions): Promise<boolean> {
  const document = await openDocument(uriOf(path));
  // What the user has not saved is not for us to save. The next run may have begun meanwhile.
  if (document === undefined || document.isDirty || hasPending(path)) return false;
  const before = document.version;
  if (settings().organizesImports) await organizeImports(document);
  if (settings().formatsFiles) await formatDocument(document);
  if (document.version === before) return false;
  await document.save();
  return true;
}

/** Undefined for one that is gone meanwhile, or no text. */
async function openDocument(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined;
  }
}

async function organizeImports(document: vscode.TextDocument): Promise<void> {
  const whole = new vscode.Range(0, 0, document.lineCount, 0);
  const kind = vscode.CodeActionKind.SourceOrganizeImports;
  const { version } = document;
  const actions = await vscode.commands.executeCommand<vscode.CodeAction[] | undefined>(
    ...(["vscode.executeCodeActionProvider", document.uri, whole, kind.value, 1] as const),
  );
  const edit = actions?.find((action) => action.kind !== undefined && kind.contains(action.kind))?.edit;
  // Of others' files nothing is changed.
  const isOwn = edit?.entries().every(([uri]) => uri.toString() === document.uri.toString());
  if (edit !== undefined && isOwn === true && document.version === version) await vscode.workspace.applyEdit(edit);
}

async function formatDocument(document: vscode.TextDocument): Promise<void> {
  const config = vscode.workspace.getConfiguration("editor", document);
  const { version } = document;
  const options = { tabSize: config.get("tabSize", 4), insertSpaces: config.get("insertSpaces", true) };
  const edits = await vscode.commands.executeCommand<vscode.TextEdit[] | undefined>(
    "vscode.executeFormatDocumentProvider",
    document.uri,
    options,
  );
  // Edits of a text that somebody has changed meanwhile would land somewhere else.
  if (edits === undefined || edits.length === 0 || document.version !== version) return;
  const edit = new vscode.WorkspaceEdit();
  edit.set(document.uri, edits);
  await vscode.workspace.applyEdit(edit);
}
