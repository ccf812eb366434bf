import * as vscode from "vscode";
import type { AgentEvent } from "../../../agent/index.ts";
import { fileEditsIn } from "../../../protocol/fileEdits.ts";
import { editorLineEnds } from "../../workspace/documents/encoding.ts";

export interface TidySettings {
  formatsFiles: boolean;
  organizesImports: boolean;
}

export interface TidyOptions {
  settings(): TidySettings;
  /** Something of it waits for an answer: its lines are left as they are. */
  hasPending(path: string): boolean;
  tidy(path: string): Promise<void>;
  reportFailure(error: unknown): void;
}

const maxFiles = 200;

export function isTidying({ formatsFiles, organizesImports }: TidySettings): boolean {
  return formatsFiles || organizesImports;
}

/**
 * Follows the events of a chat's agents: when its run has ended, the files that they edited are put in order as the user's
 * settings want it, where that was not done when the user accepted an edit. Files in which something waits are left alone.
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
    if (paths.length > 0 && isTidying(options.settings())) void tidyFiles(paths, options);
  };
}

async function tidyFiles(paths: readonly string[], { hasPending, tidy, reportFailure }: TidyOptions): Promise<void> {
  for (const path of paths) {
    // The next run may have begun meanwhile. A formatter that fails at one file is no reason to leave the others.
    if (!hasPending(path)) await tidy(path).catch(reportFailure);
  }
}

/** Puts a file in order by the editor's own formatters and saves it. False where nothing was changed. */
export async function tidyFile(uri: vscode.Uri, settings: TidySettings, signal: AbortSignal): Promise<boolean> {
  const document = await openDocument(uri);
  // What the user has not saved is not for us to save. Line ends of several kinds would all become one.
  if (document === undefined || document.isDirty || (await hasMixedLineEnds(uri))) return false;
  const before = document.version;
  try {
    if (settings.organizesImports && !signal.aborted) await organizeImports(document, signal);
    if (settings.formatsFiles && !signal.aborted) await formatDocument(document, signal);
  } finally {
    if (document.version !== before) await document.save();
  }
  return document.version !== before;
}

async function hasMixedLineEnds(uri: vscode.Uri): Promise<boolean> {
  const bytes = await vscode.workspace.fs.readFile(uri);
  return editorLineEnds(new TextDecoder().decode(bytes)) === "mixed";
}

/** Undefined for one that is gone meanwhile, or no text. */
async function openDocument(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined;
  }
}

async function organizeImports(document: vscode.TextDocument, signal: AbortSignal): Promise<void> {
  const whole = new vscode.Range(0, 0, document.lineCount, 0);
  const kind = vscode.CodeActionKind.SourceOrganizeImports;
  const { version } = document;
  const actions = await vscode.commands.executeCommand<vscode.CodeAction[] | undefined>(
    ...(["vscode.executeCodeActionProvider", document.uri, whole, kind.value, 1] as const),
  );
  const edit = actions?.find((action) => action.kind !== undefined && kind.contains(action.kind))?.edit;
  // Of others' files nothing is changed.
  const isOwn = edit?.entries().every(([uri]) => uri.toString() === document.uri.toString());
  if (edit === undefined || isOwn !== true || signal.aborted || document.version !== version) return;
  await vscode.workspace.applyEdit(edit);
}

async function formatDocument(document: vscode.TextDocument, signal: AbortSignal): Promise<void> {
  const config = vscode.workspace.getConfiguration("editor", document);
  const { version } = document;
  const options = { tabSize: config.get("tabSize", 4), insertSpaces: config.get("insertSpaces", true) };
  const edits = await vscode.commands.executeCommand<vscode.TextEdit[] | undefined>(
    "vscode.executeFormatDocumentProvider",
    document.uri,
    options,
  );
  // Edits of a text that somebody has changed meanwhile would land somewhere else.
  if (edits === undefined || edits.length === 0 || signal.aborted || document.version !== version) return;
  const edit = new vscode.WorkspaceEdit();
  edit.set(document.uri, edits);
  await vscode.workspace.applyEdit(edit);
}
