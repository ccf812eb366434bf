import { dirname, join } from "node:path";
import { nodeFiles, type SkillFiles } from "./files.ts";

/**
 * The content of the nearest AGENTS.md, from `cwd` upward. The search ends at the folder that holds `.git`, that folder
 * included, or at the root: what lies above a repository does not speak for it.
 */
export async function findAgentsMd(cwd: string, files: SkillFiles = nodeFiles): Promise<string | undefined> {
  for (let dir = cwd; ; ) {
    const text = await files.readText(join(dir, "AGENTS.md"));
    if (text !== undefined) return text;
    const parent = dirname(dir);
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
