import { folderOf, nodeModule, pathIn } from "../vocabulary/platform.ts";

/** The little of a file system that skills and AGENTS.md need. */
export interface SkillFiles {
  /** The names in a folder; may throw when there is no such folder. */
  readDir(path: string): Promise<string[]>;
  /** The text of a file; undefined when there is no such file. */
  readText(path: string): Promise<string | undefined>;
}

/** The files of this machine. Node's module is loaded at first use: an application may bring files of its own. */
export const nodeFiles: SkillFiles = {
  async readDir(path) {
    const { readdir } = await nodeModule("fs/promises");
    return readdir(path);
  },
  async readText(path) {
    const { readFile } = await nodeModule("fs/promises");
    try {
      return await readFile(path, "utf8");
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
};

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR";
}

/**
 * The content of the nearest AGENTS.md, from `cwd` upward. The search ends at the folder that holds `.git`, that folder
 * included, or at the root: what lies above a repository does not speak for it.
 */
export async function findAgentsMd(cwd: string, files: SkillFiles = nodeFiles): Promise<string | undefined> {
  for (let dir = cwd; ; ) {
    const text = await files.readText(pathIn(dir, "AGENTS.md"));
    if (text !== undefined) return text;
    const parent = folderOf(dir);
    if (parent === dir || (await holdsGit(dir, files))) return undefined;
    dir = parent;
  }
}

async function holdsGit(dir: string, files: SkillFiles): Promise<boolean> {
  try {
    return (await files.readDir(dir)).includes(".git");
  } catch {
    // A folder that cannot be listed ends nothing; the one above may still be readable.
    return false;
  }
}
