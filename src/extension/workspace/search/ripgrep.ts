import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

export interface RipgrepPlaces {
  /** The user's setting; empty when there is none. */
  setting: string;
  /** Where the editor is installed. */
  appRoot: string;
  /** The PATH of the environment. */
  searchPath: string;
  platform: NodeJS.Platform;
  arch: string;
}

/** The ripgrep to use: the user's, the editor's own, one on the PATH; absent where there is none. */
export async function findRipgrep(places: RipgrepPlaces): Promise<string | undefined> {
  for (const candidate of ripgrepCandidates(places)) if (await isExecutable(candidate)) return candidate;
  return undefined;
}

/** Where ripgrep may lie, the best first. The editor moved its own in 1.122. */
export function ripgrepCandidates({ setting, appRoot, searchPath, platform, arch }: RipgrepPlaces): string[] {
  const name = platform === "win32" ? "rg.exe" : "rg";
  const modules = ["node_modules", "node_modules.asar.unpacked"].map((folder) => join(appRoot, folder));
  const own = modules.flatMap((folder) => [
    join(folder, "@vscode/ripgrep-universal/bin", `${platform}-${arch}`, name),
    join(folder, "@vscode/ripgrep/bin", name),
  ]);
  const onPath = searchPath.split(delimiter).filter((folder) => folder !== "");
  return [...(setting === "" ? [] : [setting]), ...own, ...onPath.map((folder) => join(folder, name))];
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    // Not there, or not ours to run: the next candidate is tried.
    return false;
  }
}
