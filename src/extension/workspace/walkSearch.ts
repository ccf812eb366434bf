import { expandGlobs, globMatcher } from "./globs.ts";
import { lineSearcher } from "./searchLines.ts";
import { type Walk, walkFiles } from "./walkFiles.ts";
import type { FoundFiles, TextMatch, TextSearch } from "./workspace.ts";

/** Text search without ripgrep: the same files and globs, JavaScript's regular expressions. */
export async function* walkSearch(search: TextSearch, walk: Walk): AsyncGenerator<TextMatch> {
  const find = lineSearcher(search);
  const wanted = pathFilter(search);
  let left = search.limit;
  for await (const path of walkFiles("", walk)) {
    if (!wanted(path)) continue;
    const text = await walk.tree.readText(path);
    if (text === undefined) continue;
    for (const found of find(text)) {
      if (found.isMatch && left-- <= 0) return;
      yield { path, ...found };
    }
  }
}

/** Files without ripgrep, newest first. */
export async function walkFind(pattern: string, limit: number, walk: Walk): Promise<FoundFiles> {
  const matches = globMatcher(expandGlobs(pattern));
  const found: string[] = [];
  for await (const path of walkFiles("", walk)) if (matches(path)) found.push(path);
  return newestFirst(found, limit, (path) => walk.tree.modifiedAt(path));
}

/** Whether the search's include and exclude globs let a path in. */
export function pathFilter({ include, exclude }: Pick<TextSearch, "include" | "exclude">): (path: string) => boolean {
  const included = include === undefined ? () => true : globMatcher(expandGlobs(include));
  const excluded = exclude === undefined ? () => false : globMatcher(expandGlobs(exclude));
  return (path) => included(path) && !excluded(path);
}

const statsAtOnce = 64;

/** The newest `limit` of the paths; of equal age in order of path. */
export async function newestFirst(
  paths: readonly string[],
  limit: number,
  modifiedAt: (path: string) => Promise<number>,
): Promise<FoundFiles> {
  const dated: { path: string; at: number }[] = [];
  for (let first = 0; first < paths.length; first += statsAtOnce) {
    const batch = paths.slice(first, first + statsAtOnce);
    dated.push(...(await Promise.all(batch.map(async (path) => ({ path, at: await modifiedAt(path) })))));
  }
  dated.sort((one, other) => other.at - one.at || (one.path < other.path ? -1 : 1));
  return { paths: dated.slice(0, limit).map(({ path }) => path), truncated: dated.length > limit };
}
