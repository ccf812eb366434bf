import type { Listing, ListOptions } from "../workspace.ts";
import { joinPath, parentOf, type TreeEntry } from "./fileTree.ts";
import { compareText, type Walk } from "./ignoreRules.ts";

/** After so many folders the count of what was left out is a lower bound. */
const maxFolders = 5_000;

/**
 * The entries below a folder. The limit is spent level by level, so that one full folder does not hide its siblings;
 * they come in the order of a tree, folders first.
 */
export async function listFolder(
  folder: string,
  { depth, limit, includesIgnored = false }: ListOptions,
  walk: Walk,
): Promise<Listing> {
  const entries: Listing["entries"] = [];
  let omitted = 0;
  let folders = 0;
  let level = [folder];
  for (let down = 0; down < depth && level.length > 0; down++) {
    const next: string[] = [];
    for (const current of level) {
      walk.signal.throwIfAborted();
      if (++folders > maxFolders) break;
      for (const entry of await visibleEntries(current, walk, includesIgnored)) {
        if (entries.length < limit) entries.push(entry);
        else omitted++;
        if (entry.kind === "directory") next.push(entry.path);
      }
    }
    level = next;
  }
  return { entries: inTreeOrder(entries), omitted };
}

async function visibleEntries(
  folder: string,
  { tree, rules }: Walk,
  includesIgnored: boolean,
): Promise<Listing["entries"]> {
  const visible: (TreeEntry & { path: string })[] = [];
  for (const entry of await tree.entries(folder)) {
    const path = joinPath(folder, entry.name);
    const kind = entry.kind === "directory" ? "directory" : "file";
    if (includesIgnored || !(await rules.ignores(path, kind))) visible.push({ ...entry, kind, path });
  }
  return visible
    .sort((one, other) => rank(one.kind) - rank(other.kind) || compareText(one.name, other.name))
    .map(({ path, kind }) => ({ path, kind: kind === "directory" ? "directory" : "file" }));
}

function rank(kind: TreeEntry["kind"]): number {
  return kind === "directory" ? 0 : 1;
}

/** Each folder followed by what is in it; siblings keep their order. */
function inTreeOrder(entries: Listing["entries"]): Listing["entries"] {
  const children = new Map<string, Listing["entries"]>();
  const paths = new Set(entries.map((entry) => entry.path));
  for (const entry of entries) {
    const parent = parentOf(entry.path);
    const key = paths.has(parent) ? parent : "";
    const siblings = children.get(key);
    if (siblings) siblings.push(entry);
    else children.set(key, [entry]);
  }
  const result: Listing["entries"] = [];
  const open = [...(children.get("") ?? [])].reverse();
  for (let entry = open.pop(); entry; entry = open.pop()) {
    result.push(entry);
    open.push(...[...(children.get(entry.path) ?? [])].reverse());
  }
  return result;
}
