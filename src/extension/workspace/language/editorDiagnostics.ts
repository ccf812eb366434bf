import * as vscode from "vscode";
import { firstOf } from "../../common/deadline.ts";
import { languageOf } from "../documents/languageOf.ts";
import { openDocument } from "../documents/readDocument.ts";
import { type ResolvedPath, resolveUri } from "../editorRoots.ts";
import { statOf } from "../fileStat.ts";
import type { DiagnosticSnapshot, FileDiagnostic } from "../workspace.ts";
import { settleDelay, type WrittenFile } from "./diagnosticSettling.ts";
import { askLanguage, orNothing } from "./languageRequest.ts";

/** The editor's diagnostics, given once language servers have caught up with what was written. */
export interface EditorDiagnostics extends vscode.Disposable {
  /** A file is about to be written: its diagnostics are out of date until its server has reported. */
  expect(uri: vscode.Uri): void;
  /** Diagnostics of a file, of what is below a folder, or of everything. A file that no one has open is opened. */
  list(file: ResolvedPath | undefined): Promise<FileDiagnostic[]>;
  snapshot(places: readonly ResolvedPath[], signal: AbortSignal): Promise<DiagnosticSnapshot>;
  changedSince(snapshot: DiagnosticSnapshot): readonly string[];
}

const severities = ["error", "warning", "information", "hint"] as const;

export function editorDiagnostics(): EditorDiagnostics {
  const waiting = new Map<string, WrittenFile & { uri: vscode.Uri; changed: PromiseWithResolvers<void> }>();
  /** Whether anyone reports on a kind of file; absent while that is not known. */
  const reported = new Map<string, boolean>();

  /** Open files of which a server reported diagnostics: what it does not report of them is no problem. */
  const reportedFiles = new Set(
    vscode.languages.getDiagnostics().flatMap(([uri, list]) => (list.length > 0 ? [uri.toString()] : [])),
  );
  const changes: string[] = [];

  const listener = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
    for (const uri of uris) {
      reported.set(kindOf(uri), true);
      if (isInTab(uri)) reportedFiles.add(uri.toString());
      const file = waiting.get(uri.toString());
      if (!file) continue;
      file.lastReportAt = Date.now();
      file.changed.resolve();
      file.changed = Promise.withResolvers();
    }
  });

  const closing = vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
    for (const { input } of closed)
      if (input instanceof vscode.TabInputText) reportedFiles.delete(input.uri.toString());
  });
  const changing = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
    const path = contentChanges.length > 0 ? resolveUri(document.uri)?.path : undefined;
    if (path !== undefined) changes.push(path);
  });

  /** The server's own word where it can be asked; else what the editor shows once it has caught up. */
  async function ofFile(
    file: ResolvedPath,
    signal: AbortSignal,
  ): Promise<{ asked?: FileDiagnostic[]; isKnown: boolean }> {
    if (!(await statOf(file.uri))) return { isKnown: true };
    try {
      const asked = await askTypescript(file, signal);
      if (asked !== undefined) return { asked, isKnown: true };
      await list(file);
    } catch {
      signal.throwIfAborted();
      // The editor can't show it as a text, so that nothing mentions it.
      return { isKnown: false };
    }
    return { isKnown: reportedFiles.has(file.uri.toString()) || reported.get(kindOf(file.uri)) === false };
  }

  async function snapshot(places: readonly ResolvedPath[], signal: AbortSignal): Promise<DiagnosticSnapshot> {
    const at = changes.length;
    const own = await Promise.all(places.map(async (file) => ({ file, ...(await ofFile(file, signal)) })));
    await Promise.all([...waiting.keys()].map(settled));
    const isAsked = (path: string) => own.some(({ file, asked }) => file.path === path && asked !== undefined);
    const shown = currentDiagnostics(undefined).filter((each) => !(isOfServer(each) && isAsked(each.path)));
    const open = [...reportedFiles].flatMap((uri) => resolveUri(vscode.Uri.parse(uri))?.path ?? []);
    const known = new Set([...open, ...own.flatMap(({ file, isKnown }) => (isKnown ? [file.path] : []))]);
    for (const { file, isKnown } of own) if (!isKnown) known.delete(file.path);
    return { list: [...own.flatMap(({ asked = [] }) => asked), ...shown], known, at };
  }

  function expect(uri: vscode.Uri): void {
    const reports = reported.get(kindOf(uri));
    if (reports === false) return;
    const firstTime = reports === undefined && isInTab(uri);
    waiting.set(uri.toString(), { uri, writtenAt: Date.now(), firstTime, changed: Promise.withResolvers() });
  }

  async function settled(key: string): Promise<void> {
    for (let file = waiting.get(key); file; file = waiting.get(key)) {
      const delay = settleDelay(file, Date.now());
      if (delay === 0) {
        waiting.delete(key);
        const kind = kindOf(file.uri);
        if (file.lastReportAt === undefined && !reported.has(kind)) reported.set(kind, false);
        return;
      }
      await firstOf(file.changed.promise, delay);
    }
  }

  async function list(asked: ResolvedPath | undefined): Promise<FileDiagnostic[]> {
    const found = asked && ((await statOf(asked.uri)) ?? (await vscode.workspace.fs.stat(asked.uri)));
    const file = found !== undefined && found.type & vscode.FileType.File ? asked : undefined;
    if (file && !openDocument(file.uri)) {
      await vscode.workspace.openTextDocument(file.uri);
      expect(file.uri);
    }
    await Promise.all([...waiting.keys()].map(settled));
    return currentDiagnostics(asked);
  }

  return {
    expect,
    list,
    snapshot,
    changedSince: ({ at }) => [...new Set(changes.slice(at))],
    dispose: () => vscode.Disposable.from(listener, closing, changing).dispose(),
  };
}

function currentDiagnostics(file: ResolvedPath | undefined): FileDiagnostic[] {
  return vscode.languages.getDiagnostics().flatMap(([uri, diagnostics]) => {
    const path = resolveUri(uri)?.path;
    if (path === undefined || (file && path !== file.path && !path.startsWith(folderPrefix(file.path)))) return [];
    return diagnostics.map(({ range, severity, message, source }) => ({
      path,
      line: range.start.line + 1,
      column: range.start.character + 1,
      severity: severities[severity] ?? "hint",
      message,
      ...(source === undefined ? {} : { source }),
    }));
  });
}

/** A language, and whether the file has a tab: some servers, TypeScript's too, look only at files that have one. */
function kindOf(uri: vscode.Uri): string {
  const language = openDocument(uri)?.languageId ?? languageOf(uri.path);
  return isInTab(uri) ? `${language} in a tab` : language;
}

function isInTab(uri: vscode.Uri): boolean {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString());
}

function folderPrefix(path: string): string {
  return path === "" ? "" : `${path}/`;
}

/** Files that the editor's TypeScript server knows, whether or not they have a tab. */
const script = /\.(?:[mc]?[tj]s|[tj]sx)$/;
/** What the server's own reports in the editor say of themselves. */
const serverSources: ReadonlySet<string> = new Set(["ts", "js", "typescript", "javascript", "deno-ts"]);

/** As the server's protocol has it: lines and offsets count from 1. */
interface ServerDiagnostic {
  start?: { line: number; offset: number };
  text?: string;
  category?: string;
}

function isOfServer({ path, source }: FileDiagnostic): boolean {
  return script.test(path) && source !== undefined && serverSources.has(source);
}

/**
 * Errors and warnings of a script, asked of the TypeScript server itself: unasked, it reports only on files that have a
 * tab. Undefined for other files, and where the server does not answer.
 */
async function askTypescript(file: ResolvedPath, signal: AbortSignal): Promise<FileDiagnostic[] | undefined> {
  if (!script.test(file.path)) return undefined;
  await vscode.workspace.openTextDocument(file.uri);
  const all: FileDiagnostic[] = [];
  for (const request of ["syntacticDiagnosticsSync", "semanticDiagnosticsSync"]) {
    const answer = await orNothing(
      askLanguage<{ type?: string; body?: ServerDiagnostic[] }>(signal, "typescript.tsserverRequest", request, {
        file: file.uri,
      }),
      signal,
    );
    if (answer?.type !== "response" || !Array.isArray(answer.body)) return undefined;
    all.push(...answer.body.flatMap((each) => fileDiagnostic(file, each)));
  }
  return all;
}

function fileDiagnostic({ uri }: ResolvedPath, { start, text = "", category }: ServerDiagnostic): FileDiagnostic[] {
  const path = resolveUri(uri)?.path;
  if (path === undefined || start === undefined || (category !== "error" && category !== "warning")) return [];
  const source = /\.[mc]?tsx?$/.test(path) ? "ts" : "js";
  return [{ path, line: start.line, column: start.offset, severity: category, message: text, source }];
}
