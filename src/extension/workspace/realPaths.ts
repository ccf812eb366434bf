import { lstat, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { isFileSystemError } from "../common/files.ts";
import { type Location, outside } from "./paths.ts";

/**
 * Refuses a location whose real path leaves its root: through a link, one that dangles, one below which a file is to be
 * made, or `link/..`, which the system and the text read differently. What can't be judged is refused.
 */
export async function refuseLinksOutside({ root, relative, segments }: Location): Promise<void> {
  if (relative === "" && segments.length === 0) return;
  const realRoot = await realpath(root.path);
  await refuseClimbingOutOfLinks(root.path, segments, relative);
  for (let path = join(root.path, relative); path.length > root.path.length; path = join(path, "..")) {
    const real = await realPathOf(path);
    if (real === "missing") continue;
    if (real === "refused" || !isInside(real, realRoot)) throw outside(relative);
    return;
  }
}

async function refuseClimbingOutOfLinks(root: string, segments: readonly string[], relative: string): Promise<void> {
  const walked: string[] = [];
  for (const segment of segments) {
    if (segment !== "..") walked.push(segment);
    else {
      if (await isLink(join(root, ...walked))) throw outside(relative);
      walked.pop();
    }
  }
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isFileSystemError(error) || (error.code !== "ENOENT" && error.code !== "ENOTDIR")) return "refused";
    return (await isLink(path)) ? "refused" : "missing";
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (isFileSystemError(error) && (error.code === "ENOENT" || error.code === "ENOTDIR")) return false;
    throw error;
  }
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
