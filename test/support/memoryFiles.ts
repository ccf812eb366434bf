import { posix } from "node:path";
import type { SkillFiles } from "../../src/agent/context/files.ts";

/** Files by absolute path; folders exist where files are below them. */
export function memoryFiles(texts: Record<string, string>): SkillFiles {
  return {
    async readDir(path) {
      const below = Object.keys(texts).filter((file) => file.startsWith(path === "/" ? path : `${path}/`));
      if (below.length === 0) throw new Error(`There is no folder ${path}`);
      return [...new Set(below.map((file) => posix.relative(path, file).split("/")[0] ?? ""))];
    },
    async readText(path) {
      return texts[path];
    },
  };
}
