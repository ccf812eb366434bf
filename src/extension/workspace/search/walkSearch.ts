import type { TextMatch, TextSearch } from "../workspace.ts";
import { joinPath } from "./fileTree.ts";
import { excludingMatcher, expandGlobs, globMatcher } from "./globs.ts";
import { compareText, type Walk } from "./ignoreRules.ts";
import type { NewestFiles } from "./newestFiles.ts";
import { lineSearcher } from "./searchLines.ts";

/** Text search without ripgrep: the same files and globs, JavaScript's regular expressions. */
export async function* walkSearch(search: TextSearch, walk: Walk): AsyncGenerator<TextMatch> {
  const find = lineSearcher(search);
  const wanted = pathFilter(search);
  let left = search.limit;
  for await (const path of walkFiles("", walk)) {
    if (!wanted(path)) continue;
    const text = await walk.tree.readText(path, { isListed: true });
    if (text === undefined) continue;
    for (const found of find(text)) {
      if (found.isMatch && left-- <= 0) return;
      yield { path, ...found };
    }
  }
}

const statsAtOnce = 64;

/** Adds the files that match a glob with their age, without ripgrep; their paths given by `nameOf`. */
export async function walkNewest(
  pattern: string,
  walk: Walk,
  into: NewestFiles,
  nameOf: (path: string) => string = (path) => path,
): Promise<void> {
  const matches = globMatcher(expandGlobs(pattern));
  const paths: string[] = [];
  for await (const path of walkFiles("", walk)) if (matches(path)) paths.push(path);
  for (let first = 0; first < paths.length; first += statsAtOnce) {
    const batch = paths.slice(first, first + statsAtOnce);
    await Promise.all(batch.map(async (path) => into.add(nameOf(path), await walk.tree.modifiedAt(path))));
  }
}

/** Whether the search's include and exclude globs let a path in. */
export function pathFilter({ include, exclude }: Pick<TextSearch, "include" | "exclude">): (path: string) => boolean {
  const included = include === undefined ? () => true : globMatcher(expandGlobs(include));
  const excluded = exclude === undefined ? () => false : excludingMatcher(expandGlobs(exclude));
  return (path) => included(path) && !excluded(path);
}

/** Every file below a folder that the rules do not leave out; an entry's folders before its files, in order of name. */
async function* walkFiles(folder: string, { tree, rules, signal }: Walk): AsyncGenerator<string> {
  const open = [folder];
  for (let current = open.pop(); current !== undefined; current = open.pop()) {
    signal.throwIfAborted();
    const folders: string[] = [];
    for (const entry of sortedByName(await tree.entries(current))) {
      const path = joinPath(current, entry.name);
      if (entry.kind === "link" || (await rules.ignores(path, entry.kind))) continue;
      if (entry.kind === "file") yield path;
      else folders.push(path);
    }
    open.push(...folders.reverse());
  }
}

function sortedByName<T extends { name: string }>(entries: readonly T[]): T[] {
  return [...entries].sort((one, other) => compareText(one.name, other.name));
}
