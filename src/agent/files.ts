import { readdir, readFile } from "node:fs/promises";

/** The little of a file system that skills and AGENTS.md need. */
export interface SkillFiles {
  /** The names in a folder; may throw when there is no such folder. */
  readDir(path: string): Promise<string[]>;
  /** The text of a file; undefined when there is no such file. */
  readText(path: string): Promise<string | undefined>;
}

/** The files of this machine. */
export const nodeFiles: SkillFiles = {
  readDir: (path) => readdir(path),
  async readText(path) {
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
