import ignore, { type Ignore } from "ignore";
import { type FileTree, joinPath, parentOf, pathsDownTo } from "./fileTree.ts";

/** What walks and searches leave out: .gitignore and .ignore files, and patterns that always hold. */
export interface IgnoreRules {
  /** Judges the path alone, not the folders above it. */
  ignores(path: string, kind: "file" | "directory"): Promise<boolean>;
  /** Judges the path and the folders above it, down from `base`, which was asked for by name. */
  ignoresBelow(base: string, path: string): Promise<boolean>;
}

interface Layer {
  folder: string;
  rules: Ignore;
}

/** The later file wins, as in ripgrep. */
const ruleFiles = [".gitignore", ".ignore"];

/** At the top of a workspace folder: what agents do not get to see. */
export const agentIgnoreFile = ".agentignore";

/** Rules are read once per folder; make new ones for every walk. `topFile` has rules that no other can revoke. */
export function ignoreRules(tree: FileTree, always: readonly string[], topFile?: string): IgnoreRules {
  let top: Promise<Ignore> | undefined;
  const readTop = async (name: string) => ignore({ ignorecase: true }).add((await tree.readText(name)) ?? "");
  const fixed = ignore({ ignorecase: false }).add([".git", ...always]);
  const known = new Map<string, Promise<readonly Layer[]>>();

  function layersOf(folder: string): Promise<readonly Layer[]> {
    let layers = known.get(folder);
    if (!layers) {
      layers = readLayers(folder);
      known.set(folder, layers);
    }
    return layers;
  }

  async function readLayers(folder: string): Promise<readonly Layer[]> {
    const above = folder === "" ? [] : await layersOf(parentOf(folder));
    const texts = await Promise.all(ruleFiles.map((name) => tree.readText(joinPath(folder, name))));
    const present = texts.filter((text) => text !== undefined);
    if (present.length === 0) return above;
    return [...above, { folder, rules: ignore({ ignorecase: false }).add(present.join("\n")) }];
  }

  async function ignores(path: string, kind: "file" | "directory"): Promise<boolean> {
    const suffix = kind === "directory" ? "/" : "";
    if (fixed.checkIgnore(path + suffix).ignored) return true;
    if (topFile !== undefined) {
      top ??= readTop(topFile);
      if ((await top).ignores(path + suffix)) return true;
    }
    let ignored = false;
    for (const { folder, rules } of await layersOf(parentOf(path))) {
      const verdict = rules.test((folder === "" ? path : path.slice(folder.length + 1)) + suffix);
      if (verdict.ignored || verdict.unignored) ignored = verdict.ignored;
    }
    return ignored;
  }

  return {
    ignores,
    async ignoresBelow(base, path) {
      for (const part of pathsDownTo(path)) {
        if (part.length <= base.length) continue;
        if (await ignores(part, part === path ? "file" : "directory")) return true;
      }
      return false;
    },
  };
}

/** What a walk goes through, what it leaves out, and when it ends early. */
export interface Walk {
  tree: FileTree;
  rules: IgnoreRules;
  signal: AbortSignal;
}

/** By code unit: the same on every machine, whatever its language. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
