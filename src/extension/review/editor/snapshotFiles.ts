import { lstat } from "node:fs/promises";
import { lexicalPlace } from "../../workspace/editorRoots.ts";
import { isFileSystemError } from "../../workspace/fileSystemErrors.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { FileStamp, SnapshotFiles } from "../checkpoints/commandChanges.ts";
import { imagedFiles } from "./imagedFiles.ts";

/** The files of the editor's workspace that stand on this machine's disk, where commands run. */
export function snapshotFiles(workspace: Pick<Workspace, "findFiles">): SnapshotFiles {
  return {
    take: imagedFiles().take,
    list: (most) => workspace.findFiles("**", most, new AbortController().signal),
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
