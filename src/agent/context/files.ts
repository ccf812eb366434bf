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
    const { readdir } = await import("node:fs/promises");
    return readdir(path);
  },
  async readText(path) {
    const { readFile } = await import("node:fs/promises");
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
