import type { Workspace } from "../../../workspace/workspace.ts";
import { foldersOf } from "./rankPaths.ts";

/** More files than this are not held; those that are not are searched for by name. */
const mostFiles = 20_000;
const mostByName = 200;

/** Files and folders of the workspace while a mention is typed. */
export interface FileIndex {
  /** Paths that may answer a query; folders end in a slash. */
  paths(query: string, signal: AbortSignal): Promise<Iterable<string>>;
}

interface Listing {
  /** What was typed when it was last asked. */
  query: string;
  found: Promise<{ files: readonly string[]; folders: ReadonlySet<string>; truncated: boolean }>;
  stop: AbortController;
}

/** Lists the workspace once for each mention, however quickly letters are added to it or taken from it. */
export function createFileIndex(workspace: Pick<Workspace, "findFiles" | "roots">): FileIndex {
  let current: Listing | undefined;

  function list(query: string): Listing["found"] {
    if (current !== undefined && continues(current.query, query)) {
      current.query = query;
      return current.found;
    }
    current?.stop.abort();
    const stop = new AbortController();
    const found = workspace.findFiles("**/*", mostFiles, stop.signal).then(({ paths, truncated }) => ({
      files: paths,
      folders: foldersOf(paths),
      truncated,
    }));
    const listing: Listing = { query, found, stop };
    current = listing;
    found.catch(() => {
      // Whoever waits for it hears of it; the next one tries again.
      if (current === listing) current = undefined;
    });
    return found;
  }

  return {
    async paths(query, signal) {
      signal.throwIfAborted();
      if (workspace.roots().length === 0) return [];
      const { files, folders, truncated } = await list(query);
      signal.throwIfAborted();
      const named =
        truncated && query !== "" ? await workspace.findFiles(nameGlob(query), mostByName, signal) : undefined;
      return new Set([...files, ...(named?.paths ?? []), ...folders]);
    },
  };
}

/** The same mention goes on: with nothing typed, or with the same again, another one has begun. */
function continues(before: string, now: string): boolean {
  return now !== "" && now !== before && (now.startsWith(before) || before.startsWith(now));
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
