import { chmod, lstat, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { FileType, l10n, Range, type TextDocument, Uri, WorkspaceEdit, workspace } from "vscode";
import { isFileSystemError } from "../../common/files.ts";
import { UserError } from "../../common/userError.ts";
import { editorLineEnds, isBinary } from "../../workspace/documents/encoding.ts";
import { openDocument, storedText } from "../../workspace/documents/readDocument.ts";
import { refuseReadOnly, replaceBytes } from "../../workspace/documents/replaceBytes.ts";
import { decodeStored } from "../../workspace/documents/textDecoding.ts";
import { untilText } from "../../workspace/documents/untilText.ts";
import { editorRoots, type ResolvedPath, resolveLexically, resolvePath } from "../../workspace/editorRoots.ts";
import { statOf } from "../../workspace/fileStat.ts";
import { pathOf } from "../../workspace/paths.ts";
import { type FileTree, joinPath } from "../../workspace/search/fileTree.ts";
import { ignoreRules } from "../../workspace/search/ignoreRules.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { diffLines } from "../model/diffLines.ts";
import type { FileStamp, SnapshotFiles } from "../rewind/commandChanges.ts";
import type { FileImage, ImagedFiles } from "../rewind/storage.ts";

/** The files of the editor's workspace, byte for byte, with what their editors hold unsaved. */
export function imagedFiles(): ImagedFiles {
  return {
    take: async (path) => takeImage(await resolvePath(path)),
    putBack: async (path, image) => putBack(await resolvePath(path), image),
    decode: async (path, bytes) => {
      if (bytes.length > largestText || isBinary(bytes)) return undefined;
      return (await decodeStored((await resolvePath(path)).uri, bytes))?.text;
    },
    encode: async (path, text, like) => {
      const encoded = await (await storedText(await resolvePath(path), like)).encode(text);
      if (encoded !== undefined) return encoded;
      throw new UserError(l10n.t("{0} can't hold its lines in its encoding. Save it as UTF-8 first.", path));
    },
  };
}

/** Larger files go back as a whole. */
const largestText = 20 * 1024 * 1024;

async function takeImage({ uri }: ResolvedPath): Promise<FileImage> {
  const found = await statOf(uri);
  if (found !== undefined && found.type & FileType.Directory) return { isFolder: true };
  const document = openDocument(uri);
  return {
    ...(found === undefined ? {} : { bytes: await workspace.fs.readFile(uri), ...(await modeOf(uri)) }),
    ...(document?.isDirty ? { unsaved: document.getText() } : {}),
  };
}

/** Only of a file on this machine's disk, where the system has modes. */
async function modeOf({ scheme, fsPath }: Uri): Promise<Pick<FileImage, "mode">> {
  return scheme === "file" && process.platform !== "win32" ? { mode: (await stat(fsPath)).mode & 0o7777 } : {};
}

async function putBack(place: ResolvedPath, image: FileImage): Promise<void> {
  const { uri } = place;
  const found = await statOf(uri);
  if (image.isFolder || (found !== undefined && found.type & FileType.Directory)) await putBackFolder(uri, image);
  else await putBackFile(place, image, found !== undefined);
}

async function putBackFolder(uri: Uri, { isFolder }: FileImage): Promise<void> {
  if (isFolder) await workspace.fs.createDirectory(uri);
  else if ((await workspace.fs.readDirectory(uri)).length === 0) await workspace.fs.delete(uri);
}

async function putBackFile(place: ResolvedPath, { bytes, unsaved, mode }: FileImage, exists: boolean): Promise<void> {
  const { uri } = place;
  if (bytes === undefined) {
    if (exists) await workspace.fs.delete(uri);
  } else if (!exists || Buffer.compare(await workspace.fs.readFile(uri), bytes) !== 0 || unsaved === undefined) {
    if (exists && uri.scheme === "file") await refuseReadOnly(uri.fsPath);
    const document = openDocument(uri);
    const text = document && (await storedText(place, bytes)).text;
    // Through the document first, so that the editor can undo it.
    if (text !== undefined && document && exists && (await canHold(document, place, text))) {
      await show(document, text, true);
    }
    await writeBytes(place, bytes, exists);
    if (text !== undefined && document) await untilText(document, text);
  }
  if (bytes !== undefined && mode !== undefined && (await modeOf(uri)).mode !== mode) await chmod(uri.fsPath, mode);
  const document = openDocument(uri);
  if (unsaved !== undefined && document !== undefined) await show(document, unsaved, false);
}

/** A text of mixed line ends is more than a document can hold; one that lags behind its file could not be saved. */
async function canHold(document: TextDocument, place: ResolvedPath, text: string): Promise<boolean> {
  if (document.isDirty) return true;
  const now = (await storedText(place, await workspace.fs.readFile(place.uri))).text;
  if (editorLineEnds(now) === "mixed" || editorLineEnds(text) === "mixed") return false;
  return untilText(document, now);
}

async function writeBytes({ uri }: ResolvedPath, bytes: Uint8Array, exists: boolean): Promise<void> {
  if (exists && Buffer.compare(await workspace.fs.readFile(uri), bytes) === 0) return;
  if (exists && uri.scheme === "file") return void (await replaceBytes(uri.fsPath, bytes));
  await workspace.fs.createDirectory(Uri.joinPath(uri, ".."));
  await workspace.fs.writeFile(uri, bytes);
}

/** Only the lines that differ are replaced, in one undo step. */
async function show(document: TextDocument, text: string, isSaved: boolean): Promise<void> {
  const edit = new WorkspaceEdit();
  for (const { oldStart, oldLines, newText } of diffLines(document.getText(), text)) {
    edit.replace(document.uri, new Range(oldStart - 1, 0, oldStart - 1 + oldLines.length, 0), newText);
  }
  if (edit.size > 0 && !(await workspace.applyEdit(edit))) {
    throw new UserError(l10n.t("The text of {0} could not be restored. Try again.", document.fileName));
  }
  if (isSaved && document.isDirty) await document.save();
}

/** The files of the editor's workspace that are on this machine's disk, where commands run. */
export function snapshotFiles(workspace: Pick<Workspace, "findFiles">): SnapshotFiles {
  return {
    take: imagedFiles().take,
    list: (max) => workspace.findFiles("**", max, new AbortController().signal),
    folders: foldersOnDisk,
    async stamp(path) {
      const { uri } = resolveLexically(path);
      return uri.scheme === "file" ? stampOf(uri.fsPath) : undefined;
    },
  };
}

async function stampOf(file: string): Promise<FileStamp | undefined> {
  try {
    const stats = await lstat(file, { bigint: true });
    const version = `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
    return { isFile: stats.isFile(), bytes: Number(stats.size), version };
  } catch (error) {
    if (isFileSystemError(error) && (error.code === "ENOENT" || error.code === "ENOTDIR")) return undefined;
    throw error;
  }
}

async function foldersOnDisk(max: number): Promise<string[] | undefined> {
  const roots = editorRoots();
  const paths: string[] = [];
  for (const root of roots.filter(({ uri }) => uri.scheme === "file")) {
    const tree = treeOnDisk(root.uri.fsPath);
    const rules = ignoreRules(tree, []);
    const open = [""];
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      for (const { name, kind } of await tree.entries(folder)) {
        const path = joinPath(folder, name);
        if (kind !== "directory" || (await rules.ignores(path, kind))) continue;
        if (paths.push(pathOf(root, path, roots)) > max) return undefined;
        open.push(path);
      }
    }
  }
  return paths;
}

/** Past the editor, which would be asked once for each folder. */
function treeOnDisk(top: string): FileTree {
  return {
    async entries(folder) {
      const entries = await readdir(join(top, folder), { withFileTypes: true }).catch(() => []);
      return entries.map((entry) => ({ name: entry.name, kind: entry.isDirectory() ? "directory" : "file" }));
    },
    readText: (path) => readFile(join(top, path), "utf8").catch(() => undefined),
    modifiedAt: async () => 0,
  };
}
