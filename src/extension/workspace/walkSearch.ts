import { excludingMatcher, expandGlobs, globMatcher } from "./globs.ts";
import { lineSearcher } from "./searchLines.ts";
import { compareText, type Walk, walkFiles } from "./walkFiles.ts";
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
  return newestOf(await walkDated(pattern, walk), limit);
}

const statsAtOnce = 64;

/** Files without ripgrep, with their age. */
export async function walkDated(pattern: string, walk: Walk): Promise<DatedPath[]> {
  const matches = globMatcher(expandGlobs(pattern));
  const paths: string[] = [];
  for await (const path of walkFiles("", walk)) if (matches(path)) paths.push(path);
  const dated: DatedPath[] = [];
  for (let first = 0; first < paths.length; first += statsAtOnce) {
    const batch = paths.slice(first, first + statsAtOnce);
    dated.push(
      ...(await Promise.all(batch.map(async (path) => ({ path, modifiedAt: await walk.tree.modifiedAt(path) })))),
    );
  }
  return dated;
}

/** Whether the search's include and exclude globs let a path in. */
export function pathFilter({ include, exclude }: Pick<TextSearch, "include" | "exclude">): (path: string) => boolean {
  const included = include === undefined ? () => true : globMatcher(expandGlobs(include));
  const excluded = exclude === undefined ? () => false : excludingMatcher(expandGlobs(exclude));
  return (path) => included(path) && !excluded(path);
}

/** A file and when it was changed, in milliseconds since the epoch. */
export interface DatedPath {
  path: string;
  modifiedAt: number;
}

/** The newest `limit`; of equal age in order of path. */
export function newestOf(dated: readonly DatedPath[], limit: number): FoundFiles {
  const sorted = [...dated].sort(
    (one, other) => other.modifiedAt - one.modifiedAt || compareText(one.path, other.path),
  );
  return { paths: sorted.slice(0, limit).map(({ path }) => path), truncated: dated.length > limit };
}
