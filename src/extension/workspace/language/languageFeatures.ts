import * as vscode from "vscode";
import { errorText } from "../../../agent/vocabulary/errors.ts";
import { ToolError } from "../../common/userError.ts";
import { readDocument } from "../documents/readDocument.ts";
import { untilText } from "../documents/untilText.ts";
import { withReplacements } from "../documents/version.ts";
import { type ResolvedPath, resolvePath, resolveUri } from "../editorRoots.ts";
import type { CodeLocation, CodeSymbol, Position, TextChange } from "../workspace.ts";
import { askLanguage, orNothing } from "./languageRequest.ts";
import { replacementsIn } from "./textPositions.ts";

export async function documentSymbols(file: ResolvedPath, signal: AbortSignal): Promise<CodeSymbol[]> {
  const { uri, path } = file;
  await openInStep(file);
  const found = await orNothing(
    askLanguage<(vscode.DocumentSymbol | vscode.SymbolInformation)[]>(
      signal,
      "vscode.executeDocumentSymbolProvider",
      uri,
    ),
    signal,
  );
  return (found ?? [])
    .flatMap((symbol) => ("selectionRange" in symbol ? withChildren(symbol, path, undefined) : informed(symbol, path)))
    .sort((one, other) => one.line - other.line);
}

export async function workspaceSymbols(query: string, signal: AbortSignal): Promise<CodeSymbol[]> {
  const found = await orNothing(
    askLanguage<vscode.SymbolInformation[]>(signal, "vscode.executeWorkspaceSymbolProvider", query),
    signal,
  );
  return (found ?? []).flatMap((symbol) => {
    const path = resolveUri(symbol.location.uri)?.path;
    return path === undefined ? [] : [informed(symbol, path)];
  });
}

export async function definitionOf(file: ResolvedPath, at: Position, signal: AbortSignal): Promise<CodeLocation[]> {
  const found = await askAt<(vscode.Location | vscode.LocationLink)[]>(
    "vscode.executeDefinitionProvider",
    file,
    at,
    signal,
  );
  return (found ?? []).map((location) =>
    "targetUri" in location
      ? codePlace(location.targetUri, (location.targetSelectionRange ?? location.targetRange).start)
      : codePlace(location.uri, location.range.start),
  );
}

export async function referencesTo(file: ResolvedPath, at: Position, signal: AbortSignal): Promise<CodeLocation[]> {
  const found = await askAt<vscode.Location[]>("vscode.executeReferenceProvider", file, at, signal);
  return (found ?? []).map(({ uri, range }) => codePlace(uri, range.start));
}

/** The provider's edits as whole texts: what is reviewed is text, and ranges would be wrong once somebody typed. */
export async function renameEdits(
  file: ResolvedPath,
  at: Position,
  newName: string,
  signal: AbortSignal,
): Promise<TextChange[]> {
  await openInStep(file);
  const edit = await askLanguage<vscode.WorkspaceEdit>(
    signal,
    "vscode.executeDocumentRenameProvider",
    file.uri,
    editorPosition(at),
    newName,
  ).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new ToolError(`The language server can't rename this: ${errorText(error)}`);
  });
  const entries = edit?.entries() ?? [];
  if (edit !== undefined && edit.size > entries.length) {
    throw new ToolError(
      "The language server would also move files with this rename. Use edit_file and move_file instead.",
    );
  }
  return Promise.all(entries.map(([target, edits]) => changeOf(target, edits)));
}

async function changeOf(uri: vscode.Uri, edits: readonly vscode.TextEdit[]): Promise<TextChange> {
  const path = resolveUri(uri)?.path;
  if (path === undefined) {
    throw new ToolError(`The rename would change ${uri.fsPath}, which is outside the workspace. Nothing is renamed.`);
  }
  const document = await vscode.workspace.openTextDocument(uri);
  const content = await readDocument(await resolvePath(path));
  const folded = (text: string) => text.replace(/\r\n?/g, "\n");
  if (content.kind !== "text" || folded(document.getText()) !== folded(content.text)) {
    throw new ToolError(`${path} is changing right now. Ask for the rename again.`);
  }
  const replacements = replacementsIn(
    content.text,
    edits.map(({ range, newText }) => ({ start: position(range.start), end: position(range.end), text: newText })),
  );
  return { path, before: content.text, after: withReplacements(content.text, replacements) };
}

async function askAt<T>(
  command: string,
  file: ResolvedPath,
  at: Position,
  signal: AbortSignal,
): Promise<T | undefined> {
  await openInStep(file);
  return orNothing(askLanguage<T>(signal, command, file.uri, editorPosition(at)), signal);
}

/** Servers see documents, which lag behind the disk for a moment when another program wrote. */
async function openInStep(file: ResolvedPath): Promise<void> {
  const document = await vscode.workspace.openTextDocument(file.uri);
  const content = document.isDirty ? undefined : await readDocument(file);
  if (content?.kind === "text") await untilText(document, content.text);
}

function withChildren(symbol: vscode.DocumentSymbol, path: string, container: string | undefined): CodeSymbol[] {
  const { name, kind, range, selectionRange, children } = symbol;
  const own = { name, kind: kindName(kind), path, line: selectionRange.start.line + 1, endLine: range.end.line + 1 };
  return [
    container === undefined ? own : { ...own, container },
    ...children.flatMap((child) => withChildren(child, path, name)),
  ];
}

function informed({ name, kind, containerName, location }: vscode.SymbolInformation, path: string): CodeSymbol {
  const own = { name, kind: kindName(kind), path, line: location.range.start.line + 1 };
  return containerName ? { ...own, container: containerName } : own;
}

/** Like "enum member". */
function kindName(kind: vscode.SymbolKind): string {
  return (vscode.SymbolKind[kind] ?? "symbol").replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}

function codePlace(uri: vscode.Uri, start: vscode.Position): CodeLocation {
  const path = resolveUri(uri)?.path;
  const outside = uri.scheme === "file" ? uri.fsPath : uri.toString(true);
  return { path: path ?? outside, isOutside: path === undefined, ...position(start) };
}

function position({ line, character }: vscode.Position): Position {
  return { line: line + 1, column: character + 1 };
}

function editorPosition({ line, column }: Position): vscode.Position {
  return new vscode.Position(line - 1, column - 1);
}
