import { chmod, stat } from "node:fs/promises";
import * as vscode from "vscode";
import { type ResolvedPath, refuseGoneRoot } from "../editorRoots.ts";
import { alreadyExists, doesNotExist, fileError, inWords, noTextAnymore } from "../fileProblems.ts";
import type { RemovedFile, WriteResult } from "../workspace.ts";
import { readDocument, statOf } from "./readDocument.ts";
import { bytesNow, isCutOff, isSame, refuseUnwritable } from "./storedFile.ts";
import { decodeStored, encodeNew } from "./textDecoding.ts";
import { notEncodable } from "./writeDocument.ts";

/**
 * Writes a new file with the folders it needs, as an edit that can be undone. It is there whole afterwards, or not at
 * all, so that it can be created again.
 */
export async function createDocument(place: ResolvedPath, text: string, removed?: RemovedFile): Promise<WriteResult> {
  await refuseGoneRoot(place.root);
  if (await statOf(place.uri)) throw alreadyExists(place.path);
  const contents = (removed && (await encodeAsBefore(place, text, removed))) ?? (await encodeNew(place.uri, text));
  if (!contents) throw notEncodable(place);
  await refuseUnwritable("create", place, contents, false);
  const folders = await missingFolders(place);
  try {
    if (!(await createByEditor(place, contents))) await createByFileSystem(place, contents);
  } catch (error) {
    await removePart(place, contents, folders);
    throw inWords("create", place.path, error);
  }
  if (removed?.mode !== undefined && place.uri.scheme === "file") await chmod(place.uri.fsPath, removed.mode);
  const content = await readDocument(place);
  if (content.kind === "text") return { text: content.text, saved: true };
  throw noTextAnymore(place.path);
}

export async function removeDocument(place: ResolvedPath): Promise<RemovedFile> {
  if (!(await statOf(place.uri))) throw doesNotExist(place.path);
  const removed = await takeRemoved(place);
  const edit = new vscode.WorkspaceEdit();
  edit.deleteFile(place.uri, { recursive: false, ignoreIfNotExists: false });
  const isDone = await vscode.workspace.applyEdit(edit).then(undefined, () => false);
  if (isDone || !(await statOf(place.uri))) return removed;
  // The editor does not say why it could not: the file system does.
  try {
    await vscode.workspace.fs.delete(place.uri, { recursive: false });
  } catch (error) {
    throw inWords("delete", place.path, error);
  }
  return removed;
}

async function takeRemoved({ uri }: ResolvedPath): Promise<RemovedFile> {
  const bytes = Buffer.from(await vscode.workspace.fs.readFile(uri)).toString("base64");
  const hasMode = uri.scheme === "file" && process.platform !== "win32";
  return { bytes, ...(hasMode ? { mode: (await stat(uri.fsPath)).mode & 0o7777 } : {}) };
}

/** The bytes that the file had, or those of another text in its encoding. */
async function encodeAsBefore(
  { uri }: ResolvedPath,
  text: string,
  { bytes }: RemovedFile,
): Promise<Uint8Array | undefined> {
  const before = Buffer.from(bytes, "base64");
  const decoded = await decodeStored(uri, before);
  return decoded?.text === text ? before : decoded?.encode(text);
}

async function createByEditor(place: ResolvedPath, contents: Uint8Array): Promise<boolean> {
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(place.uri, { contents, overwrite: false });
  const isDone = await vscode.workspace.applyEdit(edit).then(undefined, () => false);
  const now = await bytesNow(place);
  return now !== undefined && (isDone ? !isCutOff(now, contents) : isSame(now, contents));
}

/** The editor does not say why it created nothing, or only a part: the file system does, or it takes the file after all. */
async function createByFileSystem(place: ResolvedPath, contents: Uint8Array): Promise<void> {
  const left = await bytesNow(place);
  if (left && !isCutOff(left, contents)) throw alreadyExists(place.path);
  await vscode.workspace.fs.writeFile(place.uri, contents);
  const now = await bytesNow(place);
  if (!now || !isSame(now, contents)) throw fileError("create", place.path, "cut off");
}

async function removePart(place: ResolvedPath, contents: Uint8Array, folders: readonly vscode.Uri[]): Promise<void> {
  const left = await bytesNow(place);
  if (left && !isCutOff(left, contents)) return;
  try {
    if (left) await vscode.workspace.fs.delete(place.uri);
    for (const folder of folders) if (await statOf(folder)) await vscode.workspace.fs.delete(folder);
  } catch {
    // What the file system does not let go, or somebody else has put into the folders, stays there.
  }
}

/** The folders above a file that are not there yet, the innermost first. */
async function missingFolders({ uri, root }: ResolvedPath): Promise<vscode.Uri[]> {
  const missing: vscode.Uri[] = [];
  for (let folder = vscode.Uri.joinPath(uri, ".."); folder.path.length > root.uri.path.length; ) {
    if (await statOf(folder)) break;
    missing.push(folder);
    folder = vscode.Uri.joinPath(folder, "..");
  }
  return missing;
}
