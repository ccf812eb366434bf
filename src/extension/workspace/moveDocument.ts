import * as vscode from "vscode";
import { UserError } from "../userError.ts";
import { settleDelay } from "./diagnosticSettling.ts";
import { type Place, placeOfUri } from "./editorRoots.ts";
import { firstOf } from "./firstOf.ts";
import { languageOf } from "./languageOf.ts";
import { askLanguage, orNothing } from "./languageRequest.ts";
import { statOf } from "./readDocument.ts";

/**
 * Moves a file by the editor's own rename, one undo step, and waits for what language servers make of it. Gives the
 * files that changed meanwhile. Saving them is up to the editor's setting for refactorings.
 */
export async function moveDocument(from: Place, to: Place): Promise<string[]> {
  const stat = await statOf(from.uri);
  if (!stat) throw new UserError(`${from.path} does not exist.`);
  if (await statOf(to.uri)) throw new UserError(`${to.path} already exists.`);
  const isCode = languageOf(from.path) !== "plaintext";
  if (isCode) await wakeServer(from.uri);
  const changes = followChanges([from, to]);
  try {
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(from.uri, to.uri, { overwrite: false });
    if (!(await vscode.workspace.applyEdit(edit))) {
      throw new UserError(`The editor did not move ${from.path}. Check that ${to.path} can be written, and retry.`);
    }
    return await changes.settled(isCode);
  } finally {
    changes.dispose();
  }
}

/** A server that has not loaded the file's project yet would come too late to follow. */
async function wakeServer(uri: vscode.Uri): Promise<void> {
  const { signal } = new AbortController();
  await orNothing(askLanguage(signal, "vscode.executeDefinitionProvider", uri, new vscode.Position(0, 0)), signal);
}

function followChanges(moved: readonly Place[]) {
  const own = new Set(moved.map(({ uri }) => uri.toString()));
  const paths = new Set<string>();
  let lastReportAt: number | undefined;
  let changed = Promise.withResolvers<void>();
  const listener = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
    const path = placeOfUri(document.uri)?.path;
    if (path === undefined || contentChanges.length === 0 || own.has(document.uri.toString())) return;
    paths.add(path);
    lastReportAt = Date.now();
    changed.resolve();
    changed = Promise.withResolvers();
  });
  return {
    async settled(firstTime: boolean): Promise<string[]> {
      const writtenAt = Date.now();
      for (;;) {
        const report = lastReportAt === undefined ? {} : { lastReportAt };
        const delay = settleDelay({ writtenAt, firstTime, ...report }, Date.now());
        if (delay === 0) return [...paths].sort();
        await firstOf(changed.promise, delay);
      }
    },
    dispose: () => listener.dispose(),
  };
}
