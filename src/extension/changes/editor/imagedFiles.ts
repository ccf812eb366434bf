import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { FileType, l10n } from "vscode";
import { isMissing } from "../../common/files.ts";
import { UserError } from "../../common/userError.ts";
import { isBinary } from "../../workspace/documents/encoding.ts";
import { openDocument, storedText } from "../../workspace/documents/readDocument.ts";
import { bytesNow } from "../../workspace/documents/storedFile.ts";
import { decodeStored } from "../../workspace/documents/textDecoding.ts";
import { untilReported } from "../../workspace/documents/untilText.ts";
import { editorRoots, type ResolvedPath, resolveLexically, resolvePath } from "../../workspace/editorRoots.ts";
import { statOf } from "../../workspace/fileStat.ts";
import { pathOf } from "../../workspace/paths.ts";
import { type FileTree, joinPath } from "../../workspace/search/fileTree.ts";
import { ignoreRules } from "../../workspace/search/ignoreRules.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { FileStamp, SnapshotFiles } from "../rewind/commandChanges.ts";
import type { FileImage, ImagedFiles } from "../rewind/storage.ts";
import { modeOf, putBack } from "./putBack.ts";

/** The files of the editor's workspace, byte for byte, with what their editors hold unsaved. */
export function imagedFiles(): ImagedFiles {
  return {
    take: async (path) => takeImage(await resolvePath(path)),
    putBack: async (path, image, current) => putBack(await resolvePath(path), image, current),
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

async function takeImage(file: ResolvedPath): Promise<FileImage> {
  const { uri } = file;
  const found = await statOf(uri);
  if (found !== undefined && found.type & FileType.Directory) return { isFolder: true };
  const bytes = found && (await bytesNow(file));
  const document = openDocument(uri);
  // What was typed just before is the user's: a rewind must not take it for what comes after.
  if (document !== undefined) await untilReported();
  return {
    ...(bytes === undefined ? {} : { bytes, ...(await modeOf(uri)) }),
    ...(document?.isDirty ? { unsaved: document.getText() } : {}),
  };
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
    if (isMissing(error)) return undefined;
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
