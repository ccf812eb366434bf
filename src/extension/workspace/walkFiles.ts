import { type FileTree, joinPath } from "./fileTree.ts";
import type { IgnoreRules } from "./ignoreRules.ts";

/** What a walk goes through, what it leaves out, and when it ends early. */
export interface Walk {
  tree: FileTree;
  rules: IgnoreRules;
  signal: AbortSignal;
}

/** Every file below a folder that the rules do not leave out; an entry's folders before its files, in order of name. */
export async function* walkFiles(folder: string, { tree, rules, signal }: Walk): AsyncGenerator<string> {
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

/** By code unit: the same on every machine, whatever its language. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
