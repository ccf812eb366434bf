import type { Workspace } from "../../workspace/workspace.ts";
import { foldersOf } from "./rankPaths.ts";

/** More files than this are not held; those that are not are searched for by name. */
const mostFiles = 20_000;
const mostByName = 200;

/** Files and folders of the workspace while a mention is typed. */
export interface FileIndex {
  /** Paths that may answer a query; folders end in a slash. */
  paths(query: string, signal: AbortSignal): Promise<Iterable<string>>;
}

interface Listed {
  query: string;
  files: readonly string[];
  folders: ReadonlySet<string>;
  truncated: boolean;
}

/** Lists the workspace once for each mention: as long as letters are only added to it. */
export function createFileIndex(workspace: Pick<Workspace, "findFiles" | "roots">): FileIndex {
  let listed: Listed | undefined;

  async function list(query: string, signal: AbortSignal): Promise<Listed> {
    if (listed !== undefined && query.startsWith(listed.query) && query !== listed.query) {
      listed = { ...listed, query };
      return listed;
    }
    const { paths, truncated } = await workspace.findFiles("**/*", mostFiles, signal);
    listed = { query, files: paths, folders: foldersOf(paths), truncated };
    return listed;
  }

  return {
    async paths(query, signal) {
      if (workspace.roots().length === 0) return [];
      const { files, folders, truncated } = await list(query, signal);
      const named =
        truncated && query !== "" ? await workspace.findFiles(nameGlob(query), mostByName, signal) : undefined;
      return new Set([...files, ...(named?.paths ?? []), ...folders]);
    },
  };
}

/** Files whose name contains the text, whatever its case; what a glob gives a meaning to matches any character. */
function nameGlob(text: string): string {
  const name = text.slice(text.lastIndexOf("/") + 1);
  const letters = [...name].map((letter) => {
    const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
    if (/[*?[\]{}!,\\#^-]/.test(letter)) return "?";
    return lower === upper ? letter : `[${lower}${upper}]`;
  });
  return `**/*${letters.join("")}*`;
}
