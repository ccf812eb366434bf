import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isFileSystemError } from "../../common/files.ts";
import { editorRoots, lexicalPlace } from "../../workspace/editorRoots.ts";
import { type FileTree, joinPath } from "../../workspace/fileTree.ts";
import { ignoreRules } from "../../workspace/ignoreRules.ts";
import { pathOf } from "../../workspace/paths.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { FileStamp, SnapshotFiles } from "../rewind/commandChanges.ts";
import { imagedFiles } from "./imagedFiles.ts";

/** The files of the editor's workspace that stand on this machine's disk, where commands run. */
export function snapshotFiles(workspace: Pick<Workspace, "findFiles">): SnapshotFiles {
  return {
    take: imagedFiles().take,
    list: (most) => workspace.findFiles("**", most, new AbortController().signal),
    folders: foldersOnDisk,
    async stamp(path) {
      const { uri } = lexicalPlace(path);
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

async function foldersOnDisk(most: number): Promise<string[] | undefined> {
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
        if (paths.push(pathOf(root, path, roots)) > most) return undefined;
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
