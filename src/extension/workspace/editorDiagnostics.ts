import * as vscode from "vscode";
import { settleDelay, type WrittenFile } from "./diagnosticSettling.ts";
import { type Place, placeOfUri } from "./editorRoots.ts";
import { firstOf } from "./firstOf.ts";
import { languageOf } from "./languageOf.ts";
import { openDocument } from "./readDocument.ts";
import type { FileDiagnostic } from "./workspace.ts";

/** The editor's diagnostics, given once language servers have caught up with what was written. */
export interface EditorDiagnostics extends vscode.Disposable {
  /** A file is about to be written: its diagnostics are out of date until its server has spoken. */
  expect(uri: vscode.Uri): void;
  /** Diagnostics of a file, of what is below a folder, or of everything. A file that no one has open is opened. */
  list(place: Place | undefined): Promise<FileDiagnostic[]>;
}

const severities = ["error", "warning", "information", "hint"] as const;

export function editorDiagnostics(): EditorDiagnostics {
  const waiting = new Map<string, WrittenFile & { uri: vscode.Uri; changed: PromiseWithResolvers<void> }>();
  /** Whether anyone reports on a kind of file; absent while that is not known. */
  const reported = new Map<string, boolean>();

  const listener = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
    for (const uri of uris) {
      reported.set(kindOf(uri), true);
      const file = waiting.get(uri.toString());
      if (!file) continue;
      file.lastReportAt = Date.now();
      file.changed.resolve();
      file.changed = Promise.withResolvers();
    }
  });

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

  return {
    expect,
    async list(place) {
      const file = place && (await vscode.workspace.fs.stat(place.uri)).type & vscode.FileType.File ? place : undefined;
      if (file && !openDocument(file.uri)) {
        await vscode.workspace.openTextDocument(file.uri);
        expect(file.uri);
      }
      await Promise.all([...waiting.keys()].map(settled));
      return currentDiagnostics(place);
    },
    dispose: () => listener.dispose(),
  };
}

function currentDiagnostics(place: Place | undefined): FileDiagnostic[] {
  return vscode.languages.getDiagnostics().flatMap(([uri, diagnostics]) => {
    const path = placeOfUri(uri)?.path;
    if (path === undefined || (place && path !== place.path && !path.startsWith(folderPrefix(place.path)))) return [];
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
