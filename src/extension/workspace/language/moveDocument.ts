import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { firstOf } from "../../common/deadline.ts";
import { UserError } from "../../common/userError.ts";
import { languageOf } from "../documents/languageOf.ts";
import { openDocument } from "../documents/readDocument.ts";
import { untilReported } from "../documents/untilText.ts";
import { type ResolvedPath, resolveUri } from "../editorRoots.ts";
import { alreadyExists, doesNotExist, inWords } from "../fileProblems.ts";
import { statOf } from "../fileStat.ts";
import { settleDelay } from "./diagnosticSettling.ts";
import { askLanguage, orNothing } from "./languageRequest.ts";

/**
 * Files for which the editor's own language support asks, in a dialog, whether to update imports once the editor has
 * renamed one: these are moved as files, and their imports are the caller's.
 */
const asksForImports = /\.(?:[mc]?[tj]s|[tj]sx)$/;

/**
 * Moves a file by the editor's own rename, one undo step, and waits for what language servers make of it. Gives the
 * files that changed meanwhile. Saving them is up to the editor's setting for refactorings.
 */
export async function moveDocument(from: ResolvedPath, to: ResolvedPath): Promise<string[]> {
  const stat = await statOf(from.uri);
  if (!stat) throw doesNotExist(from.path);
  if (await statOf(to.uri)) throw alreadyExists(to.path);
  if (asksForImports.test(from.path)) {
    await inWordsOfMove(from, moveFile(from, to));
    return [];
  }
  const isCode = languageOf(from.path) !== "plaintext";
  if (isCode) await wakeServer(from.uri);
  const changes = followChanges([from, to]);
  try {
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(from.uri, to.uri, { overwrite: false });
    const isMoved = await vscode.workspace.applyEdit(edit).then(undefined, () => false);
    // The editor does not say why it could not: the file system does.
    if (!isMoved && (await statOf(from.uri))) await inWordsOfMove(from, moveFile(from, to));
    return await changes.settled(isCode);
  } finally {
    changes.dispose();
  }
}

async function inWordsOfMove({ path }: ResolvedPath, moving: Promise<void>): Promise<void> {
  try {
    await moving;
  } catch (error) {
    throw inWords("move", path, error);
  }
}

async function rename(from: ResolvedPath, to: ResolvedPath): Promise<void> {
  await vscode.workspace.fs.rename(from.uri, to.uri, { overwrite: false });
}

/** Tabs go with the file. One with unsaved text has it at the new path before anything goes at the old one. */
async function moveFile(from: ResolvedPath, to: ResolvedPath): Promise<void> {
  // Else what was typed just before would stay at the old path.
  await untilReported();
  const document = openDocument(from.uri);
  if (!document?.isDirty) {
    await rename(from, to);
    return;
  }
  const text = document.getText();
  await vscode.workspace.fs.copy(from.uri, to.uri, { overwrite: false });
  const moved = await vscode.workspace.openTextDocument(to.uri);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(to.uri, new vscode.Range(0, 0, moved.lineCount, 0), text);
  if (!(await vscode.workspace.applyEdit(edit)) || moved.getText() !== text) {
    throw new UserError(
      t("{0} has unsaved text that could not be moved with it. Save it, then retry.", from.path),
      `The unsaved text of ${from.path} could not be taken along. Ask the user to save it, and retry.`,
    );
  }
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs.filter((tab) => shows(tab, from.uri)));
  for (const { group } of tabs) {
    const { viewColumn } = group;
    await vscode.window.showTextDocument(moved, { viewColumn, preserveFocus: true, preview: false });
  }
  // The editor asks before it closes what is not saved.
  if (!(await document.save())) {
    throw new UserError(
      t("{0} could not be saved before it is moved. Retry.", from.path),
      `${from.path} could not be saved before it is moved. Retry.`,
    );
  }
  await vscode.window.tabGroups.close(tabs, true);
  await vscode.workspace.fs.delete(from.uri);
}

function shows({ input }: vscode.Tab, uri: vscode.Uri): boolean {
  return input instanceof vscode.TabInputText && input.uri.toString() === uri.toString();
}

/** A server that has not loaded the file's project yet would come too late to follow. */
async function wakeServer(uri: vscode.Uri): Promise<void> {
  const { signal } = new AbortController();
  await orNothing(askLanguage(signal, "vscode.executeDefinitionProvider", uri, new vscode.Position(0, 0)), signal);
}

function followChanges(moved: readonly ResolvedPath[]) {
  const own = new Set(moved.map(({ uri }) => uri.toString()));
  const paths = new Set<string>();
  let lastReportAt: number | undefined;
  let changed = Promise.withResolvers<void>();
  const listener = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
    const path = resolveUri(document.uri)?.path;
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
