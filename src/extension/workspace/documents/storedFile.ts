import { readFile, realpath } from "node:fs/promises";
import { basename } from "node:path";
import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { realRelative } from "../../approvals/editSensitivity.ts";
import { isSensitivePath } from "../../approvals/sensitive.ts";
import { isFileSystemError } from "../../common/files.ts";
import { UserError } from "../../common/userError.ts";
import type { ResolvedPath } from "../editorRoots.ts";
import { type FileAction, fileError, inWords } from "../fileProblems.ts";
import { statOf } from "../fileStat.ts";
import { outside } from "../paths.ts";
import { parentOf } from "../search/fileTree.ts";
import { holdFolder, LeftFolderError } from "./heldFiles.ts";
import { readBytes } from "./readDocument.ts";
import { hasRoom, refuseReadOnly, replaceBytes, restoreBytes } from "./replaceBytes.ts";

/** What a file held before it was written. */
export interface StoredBytes {
  bytes: Uint8Array;
  /** milliseconds since the epoch */
  modifiedAt: number;
}

export async function takeStored(file: ResolvedPath): Promise<StoredBytes> {
  const modifiedAt = (await statOf(file.uri))?.mtime ?? 0;
  return { bytes: await readBytes(file), modifiedAt };
}

/** What the file holds now; absent when it is gone. The editor's own call asks its window first: see `statOf`. */
export async function bytesNow({ uri }: ResolvedPath): Promise<Uint8Array | undefined> {
  try {
    return await (uri.scheme === "file" ? readFile(uri.fsPath) : vscode.workspace.fs.readFile(uri));
  } catch (error) {
    const isGone =
      error instanceof vscode.FileSystemError
        ? error.code === "FileNotFound"
        : isFileSystemError(error) && error.code === "ENOENT";
    if (isGone) return undefined;
    throw error;
  }
}

/** Throws, in words, what would make a write of these bytes fail, before anything is changed. */
export async function refuseUnwritable(
  action: FileAction,
  { path, uri }: ResolvedPath,
  bytes: Uint8Array,
  exists = true,
): Promise<void> {
  if (uri.scheme !== "file") return;
  if (exists) await refuseReadOnly(uri.fsPath, path);
  if (!(await hasRoom(uri.fsPath, bytes))) throw fileError(action, path, "disk full");
}

/**
 * Gives an existing file these bytes or leaves it with those it had; throws then, in words. False when it does not hold
 * any more what it held before, and is left as it is.
 */
export async function writeStored(file: ResolvedPath, bytes: Uint8Array, before: StoredBytes): Promise<boolean> {
  const { path, uri } = file;
  if (uri.scheme === "file") {
    const options = { name: path, expected: before.bytes };
    return atHeld(file, "change", (held) => replaceBytes(held, bytes, options));
  }
  let failure: unknown;
  try {
    await vscode.workspace.fs.writeFile(uri, bytes);
  } catch (error) {
    failure = inWords("change", path, error);
  }
  const now = await bytesNow(file);
  if (now !== undefined && isSame(now, bytes)) return true;
  if (now !== undefined && !isSame(now, before.bytes)) await restoreStored(file, before);
  throw failure ?? fileError("change", path, "cut off");
}

/** Puts back what a file held before a write that failed. Throws, in words, when that fails too. */
export async function restoreStored(file: ResolvedPath, before: StoredBytes): Promise<void> {
  const { path, uri } = file;
  if (uri.scheme === "file") return atHeld(file, "restore", (held) => restoreBytes(held, before));
  try {
    await restoreByEditor(uri, before.bytes);
  } catch (error) {
    throw inWords("restore", path, error);
  }
}

/**
 * Gives the path of an existing file that leads to it as long as this takes, in whatever folder of the workspace it is: what
 * is written by its name could land elsewhere when a running command swaps a folder on the way for a link.
 */
async function atHeld<Result>(
  { path, uri, root, relative }: ResolvedPath,
  action: FileAction,
  write: (held: string) => Promise<Result>,
): Promise<Result> {
  try {
    const real = await realpath(uri.fsPath);
    const folder = await holdFolder({ root: await realpath(root.uri.fsPath), path: real });
    try {
      refuseOtherSensitive({ path, relative }, folder.real, basename(real));
      return await write(folder.at(basename(real)));
    } finally {
      await folder.close();
    }
  } catch (error) {
    throw error instanceof LeftFolderError ? outside(path) : inWords(action, path, error);
  }
}

/** As `refuseOtherSensitive`, for what the editor does by the file's name. */
export async function refuseSwapped({ path, uri, root, relative }: ResolvedPath): Promise<void> {
  if (uri.scheme !== "file") return;
  const real = (await realRelative({ root: root.uri.fsPath, relative })).replaceAll("\\", "/");
  refuseOtherSensitive({ path, relative }, parentOf(real), basename(real));
}

/** A link that leads to what decides what runs is written by its own path, which the user is asked about. */
export function refuseOtherSensitive(
  { path, relative }: Pick<ResolvedPath, "path" | "relative">,
  folder: string,
  name: string,
): void {
  const real = folder === "" ? name : `${folder}/${name}`;
  if (real === relative || isSensitivePath(relative) || !isSensitivePath(real)) return;
  throw new UserError(
    t("{0} is a link to {1}, which decides what runs or holds secrets. It was left alone.", path, real),
    `${path} is a link to ${real}, which decides what runs or holds secrets. It was left alone: use that path.`,
  );
}

/** A file system that only the editor knows: beside the file first, so that a failure leaves it no worse. */
async function restoreByEditor(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
  const copy = uri.with({ path: `${uri.path}.${crypto.randomUUID().slice(0, 8)}.tmp` });
  try {
    await vscode.workspace.fs.writeFile(copy, bytes);
    if (!isSame(await vscode.workspace.fs.readFile(copy), bytes)) throw new Error("The copy was cut off.");
    await vscode.workspace.fs.rename(copy, uri, { overwrite: true });
  } catch {
    // No room for a copy, or no renaming there: then over what is left of the file.
    await deleteIfThere(copy);
    await vscode.workspace.fs.writeFile(uri, bytes);
  }
  if (!isSame(await vscode.workspace.fs.readFile(uri), bytes)) throw vscode.FileSystemError.Unavailable(uri);
}

async function deleteIfThere(uri: vscode.Uri): Promise<void> {
  try {
    await vscode.workspace.fs.delete(uri);
  } catch {
    // It never came into being, or the file system takes no change at all.
  }
}

export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

/** Whether writing stopped in the midst: the file holds a part of the bytes, from their start. */
export function isCutOff(now: Uint8Array, bytes: Uint8Array): boolean {
  return now.length < bytes.length && isSame(now, bytes.subarray(0, now.length));
}
