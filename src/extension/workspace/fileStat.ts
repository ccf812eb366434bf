import { lstat, stat } from "node:fs/promises";
import * as vscode from "vscode";
import { isFileSystemError } from "../common/files.ts";

/** `type` is as the editor has it: of a link, that of what it leads to as well. `mtime` in ms since the epoch. */
export type FoundFile = Pick<vscode.FileStat, "type" | "size" | "mtime">;

/**
 * What is at an address; undefined when nothing is. A file of this machine is looked at from here: the editor's own
 * call asks its window first, which takes as long as that has something to draw.
 */
export async function statOf(uri: vscode.Uri): Promise<FoundFile | undefined> {
  if (uri.scheme === "file") {
    const found = await statHere(uri.fsPath);
    if (found !== "unclear") return found;
  }
  try {
    return await vscode.workspace.fs.stat(uri);
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === "FileNotFound") return undefined;
    throw error;
  }
}

/** What is no plain answer, as of a link that leads nowhere, is for the editor to give. */
async function statHere(path: string): Promise<FoundFile | undefined | "unclear"> {
  let isLink = false;
  try {
    const own = await lstat(path);
    isLink = own.isSymbolicLink();
    const found = isLink ? await stat(path) : own;
    const { Directory, File, Unknown, SymbolicLink } = vscode.FileType;
    const kind = found.isDirectory() ? Directory : found.isFile() ? File : Unknown;
    return { type: isLink ? kind | SymbolicLink : kind, size: found.size, mtime: found.mtime.getTime() };
  } catch (error) {
    return !isLink && isFileSystemError(error) && error.code === "ENOENT" ? undefined : "unclear";
  }
}
