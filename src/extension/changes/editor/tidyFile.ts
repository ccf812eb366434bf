import * as vscode from "vscode";
import { onAbort } from "../../common/abort.ts";
import { editorLineEnds } from "../../workspace/documents/encoding.ts";
import type { Tidy } from "../tidiedWorkspace.ts";
import type { TidySettings } from "./tidyFiles.ts";

/**
 * Puts a file that holds this text in order by the editor's own formatters and saves it. What is typed meanwhile is the
 * user's: it is neither formatted, nor saved, nor a part of what is given to `onTidied`.
 */
export async function tidyFile(
  uri: vscode.Uri,
  settings: TidySettings,
  { text, signal, onTidied }: Tidy,
): Promise<void> {
  const document = await openDocument(uri);
  // Line ends of several kinds would all become one.
  if (document === undefined || document.isDirty || (await hasMixedLineEnds(uri))) return;
  let tidied = text;
  const steps = [...(settings.organizesImports ? [importEdits] : []), ...(settings.formatsFiles ? [formatEdits] : [])];
  try {
    for (const editsOf of steps) {
      // What the user has not saved is not for us to save.
      if (signal.aborted || (tidied === text && document.isDirty) || document.getText() !== tidied) return;
      const { version } = document;
      const edits = await undefinedOnAbort(editsOf(document), signal);
      // Edits of a text that somebody has changed meanwhile would land somewhere else.
      if (edits === undefined || signal.aborted || document.version !== version) return;
      tidied = (await applyOwn(document, edits)) ?? tidied;
      if (tidied !== text) onTidied(tidied);
    }
  } finally {
    if (tidied !== text && document.getText() === tidied && (await document.save()) && !document.isDirty) {
      onTidied(document.getText());
    }
  }
}

/** Gives the text that the edits make of the document's, without what is typed at that moment; undefined for no other one. */
async function applyOwn(document: vscode.TextDocument, edits: readonly vscode.TextEdit[]): Promise<string | undefined> {
  const before = document.getText();
  const { version } = document;
  const text = textAfter(document, edits);
  if (text === before) return undefined;
  const edit = new vscode.WorkspaceEdit();
  edit.set(document.uri, [...edits]);
  if (!(await vscode.workspace.applyEdit(edit))) return undefined;
  return document.version === version + 1 ? document.getText() : text;
}

function textAfter(document: vscode.TextDocument, edits: readonly vscode.TextEdit[]): string {
  let text = document.getText();
  const placed = edits.map(({ range, newText }) => {
    return { start: document.offsetAt(range.start), end: document.offsetAt(range.end), newText };
  });
  for (const { start, end, newText } of placed.toSorted((one, other) => one.start - other.start).toReversed()) {
    text = text.slice(0, start) + newText + text.slice(end);
  }
  const eol = edits.findLast(({ newEol }) => newEol !== undefined)?.newEol ?? document.eol;
  return text.replace(/\r\n|\r|\n/g, eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n");
}

/** A formatter may take longer than anybody waits for it. */
async function undefinedOnAbort<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const listening = onAbort(signal, () => resolve(undefined));
  try {
    return await Promise.race([work, promise]);
  } finally {
    listening.dispose();
  }
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

async function importEdits(document: vscode.TextDocument): Promise<readonly vscode.TextEdit[]> {
  const whole = new vscode.Range(0, 0, document.lineCount, 0);
  const kind = vscode.CodeActionKind.SourceOrganizeImports;
  const actions = await vscode.commands.executeCommand<vscode.CodeAction[] | undefined>(
    ...(["vscode.executeCodeActionProvider", document.uri, whole, kind.value, 1] as const),
  );
  const edit = actions?.find((action) => action.kind !== undefined && kind.contains(action.kind))?.edit;
  const entries = edit?.entries() ?? [];
  // Of others' files nothing is changed.
  const isOwn = entries.every(([uri]) => uri.toString() === document.uri.toString());
  return isOwn ? entries.flatMap(([, edits]) => edits) : [];
}

async function formatEdits(document: vscode.TextDocument): Promise<readonly vscode.TextEdit[]> {
  const config = vscode.workspace.getConfiguration("editor", document);
  const options = { tabSize: config.get("tabSize", 4), insertSpaces: config.get("insertSpaces", true) };
  const edits = await vscode.commands.executeCommand<vscode.TextEdit[] | undefined>(
    "vscode.executeFormatDocumentProvider",
    document.uri,
    options,
  );
  return edits ?? [];
}
