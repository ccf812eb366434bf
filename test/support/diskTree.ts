import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FileTree } from "../../src/extension/workspace/search/fileTree.ts";

/** A folder of the disk as walks see it. */
export function diskTree(root: string): FileTree {
  return {
    async entries(folder) {
      const entries = await readdir(join(root, folder), { withFileTypes: true });
      return entries.map((entry) => {
        const kind = entry.isDirectory() ? "directory" : "file";
        return { name: entry.name, kind: entry.isSymbolicLink() ? "link" : kind };
      });
    },
    async readText(path) {
      try {
        return await readFile(join(root, path), "utf8");
      } catch {
        // Not there: a text that is not one.
        return undefined;
      }
    },
    modifiedAt: async (path) => (await stat(join(root, path))).mtimeMs,
  };
}
