import { stat } from "node:fs/promises";
import * as vscode from "vscode";
import { isFileSystemError } from "../../common/files.ts";
import { type ResolvedPath, refuseGoneRoot } from "../editorRoots.ts";
import { alreadyExists, doesNotExist, fileError, inWords, noTextAnymore, wouldBeBinary } from "../fileProblems.ts";
import { statOf } from "../fileStat.ts";
import { outside } from "../paths.ts";
import type { RemovedFile, WriteResult } from "../workspace.ts";
import { isBinary } from "./encoding.ts";
import { createInside, LeftFolderError } from "./heldFiles.ts";
import { readBytes, readDocument } from "./readDocument.ts";
import { bytesNow, isCutOff, isSame, refuseOtherSensitive, refuseUnwritable } from "./storedFile.ts";
import { decodeStored, encodeNew } from "./textDecoding.ts";
import { notEncodable } from "./writeDocument.ts";

/**
 * Writes a new file with the folders it needs. It is there whole afterwards, or not at all, so that it can be created
 * again.
 */
export async function createDocument(file: ResolvedPath, text: string, removed?: RemovedFile): Promise<WriteResult> {
  await refuseGoneRoot(file.root);
  if (await statOf(file.uri)) throw alreadyExists(file.path);
  const contents = (removed && (await encodeAsBefore(file, text, removed))) ?? (await encodeNew(file.uri, text));
  if (!contents) throw notEncodable(file);
  if (isBinary(contents)) throw wouldBeBinary(file.path);
  await createFile(file, contents, removed?.mode);
  const content = await readDocument(file);
  if (content.kind === "text") return { text: content.text, saved: true };
  throw noTextAnymore(file.path);
}

/** The same with any bytes. */
export async function createFile(file: ResolvedPath, contents: Uint8Array, mode?: number): Promise<void> {
  await refuseGoneRoot(file.root);
  await refuseUnwritable("create", file, contents, false);
  if (file.uri.scheme === "file") await createOnDisk(file, contents, mode);
  else await createInEditor(file, contents);
}

async function createInEditor(file: ResolvedPath, contents: Uint8Array): Promise<void> {
  const folders = await missingFolders(file);
  try {
    if (!(await createByEditor(file, contents))) await createByFileSystem(file, contents);
  } catch (error) {
    await removePart(file, contents, folders);
    throw inWords("create", file.path, error);
  }
}

/**
 * Not by the editor, which goes by names alone: a command that runs could swap a folder on the way for a link, and have the
 * file made anywhere.
 */
async function createOnDisk(file: ResolvedPath, contents: Uint8Array, mode: number | undefined): Promise<void> {
  const { path, root, uri } = file;
  try {
    await createInside({ root: root.uri.fsPath, path: uri.fsPath }, contents, {
      ...(mode !== undefined && { mode }),
      check: (folder, name) => refuseOtherSensitive(file, folder, name),
    });
  } catch (error) {
    if (error instanceof LeftFolderError) throw outside(path);
    const isThere = isFileSystemError(error) && error.code === "EEXIST";
    throw isThere ? alreadyExists(path) : inWords("create", path, error);
  }
}

export async function removeDocument(file: ResolvedPath): Promise<RemovedFile> {
  if (!(await statOf(file.uri))) throw doesNotExist(file.path);
  const removed = await takeRemoved(file);
  const edit = new vscode.WorkspaceEdit();
  edit.deleteFile(file.uri, { recursive: false, ignoreIfNotExists: false });
  const isDone = await vscode.workspace.applyEdit(edit).then(undefined, () => false);
  if (isDone || !(await statOf(file.uri))) return removed;
  // The editor does not say why it could not: the file system does.
  try {
    await vscode.workspace.fs.delete(file.uri, { recursive: false });
  } catch (error) {
    throw inWords("delete", file.path, error);
  }
  return removed;
}

async function takeRemoved(file: ResolvedPath): Promise<RemovedFile> {
  const bytes = Buffer.from(await readBytes(file)).toString("base64");
  const { uri } = file;
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

async function createByEditor(file: ResolvedPath, contents: Uint8Array): Promise<boolean> {
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(file.uri, { contents, overwrite: false });
  const isDone = await vscode.workspace.applyEdit(edit).then(undefined, () => false);
  const now = await bytesNow(file);
  return now !== undefined && (isDone ? !isCutOff(now, contents) : isSame(now, contents));
}

/** The editor does not say why it created nothing, or only a part: the file system does, or it takes the file after all. */
async function createByFileSystem(file: ResolvedPath, contents: Uint8Array): Promise<void> {
  const left = await bytesNow(file);
  if (left && !isCutOff(left, contents)) throw alreadyExists(file.path);
  await vscode.workspace.fs.writeFile(file.uri, contents);
  const now = await bytesNow(file);
  if (!now || !isSame(now, contents)) throw fileError("create", file.path, "cut off");
}

async function removePart(file: ResolvedPath, contents: Uint8Array, folders: readonly vscode.Uri[]): Promise<void> {
  const left = await bytesNow(file);
  if (left && !isCutOff(left, contents)) return;
  try {
    if (left) await vscode.workspace.fs.delete(file.uri);
    for (const folder of folders) if (await statOf(folder)) await vscode.workspace.fs.delete(folder);
  } catch {
    // What the file system refuses to delete, or another program has put into the folders, stays there.
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
