import * as vscode from "vscode";
import type { PlaceAttachment } from "../../../protocol/attachments.ts";

export type SelectionAttachment = PlaceAttachment & { startLine: number; endLine: number };
type PathOf = (uri: vscode.Uri) => string | undefined;

/** The selection of the active editor as an attachment; undefined without a selection or outside the workspace. */
export function selectionAttachment(pathOf: PathOf): SelectionAttachment | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.selection.isEmpty) return undefined;
  const path = pathOf(editor.document.uri);
  if (path === undefined) return undefined;
  const { start, end } = editor.selection;
  // A selection of whole lines ends at the start of the line after them.
  const lastLine = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return { kind: "selection", path, startLine: start.line + 1, endLine: lastLine };
}

/** The file of the active editor, by its path in the workspace. */
export function activeFile(pathOf: PathOf): string | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor === undefined ? undefined : pathOf(editor.document.uri);
}

/** Errors and warnings in the Problems panel. */
export function countProblems(): number {
  return vscode.languages
    .getDiagnostics()
    .flatMap(([, diagnostics]) => diagnostics)
    .filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning).length;
}

/** Types text into the editor that was active last, replacing its selection. */
export async function insertAtCursor(text: string): Promise<boolean> {
  const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
  if (editor === undefined) return false;
  return editor.edit((edit) => edit.replace(editor.selection, text));
}

/** Opens a workspace file beside nothing else: in the active group, at a line if one is given. */
export async function showFile(uri: vscode.Uri, line: number | undefined): Promise<void> {
  const at = line === undefined ? undefined : new vscode.Range(line - 1, 0, line - 1, 0);
  await vscode.window.showTextDocument(uri, { preview: true, ...(at !== undefined && { selection: at }) });
}
