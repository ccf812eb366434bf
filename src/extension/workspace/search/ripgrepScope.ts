import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { pathsDownTo } from "./fileTree.ts";
import { expandGlobs, fileNameGlob, globBase, globMatcher } from "./globs.ts";
import { agentIgnoreFile } from "./ignoreRules.ts";
import type { RipgrepRoot } from "./ripgrepSearch.ts";

/** Where ripgrep looks, by its arguments, and which of what it finds is meant. */
export interface RipgrepScope {
  args: string[];
  folders: string[];
  /** Absent where everything found is meant. */
  lets?(path: string): boolean | Promise<boolean>;
}

export async function scopeOf(
  root: RipgrepRoot,
  include: string | undefined,
  exclude: string | undefined,
): Promise<RipgrepScope> {
  const hidden = (await namesIn(root.folder)).includes(agentIgnoreFile) ? [`--ignore-file=${agentIgnoreFile}`] : [];
  const excluded = [".git", ...root.always, ...(exclude === undefined ? [] : expandGlobs(exclude))];
  const excludeGlobs = [...new Set(excluded.map(atAnyDepth))].flatMap((glob) => ["--glob", `!${glob}`]);
  const excludeArgs = [...excludeGlobs, ...hidden];
  if (include === undefined) return { args: excludeArgs, folders: ["./"] };
  const globs = expandGlobs(include);
  const bases = await Promise.all(globs.map((glob) => startOf(root.folder, glob)));
  const folders = bases.includes("") ? [""] : [...new Set(bases)];
  const topIgnores = folders.includes("") ? [] : await topIgnoreFiles(root.folder);
  const scope = { args: [...excludeArgs, ...topIgnores], folders: folders.map((folder) => `./${folder}`) };
  const everything = globs.every((glob, index) => {
    const start = globBase(glob);
    return start.everything && folders.includes(start.base) && start.base === bases[index];
  });
  const rulesHold = !(await haveRulesAbove(root.folder, folders)) && !(await areIgnored(root, folders));
  if (everything && rulesHold) return scope;
  const named = rulesHold ? nameScope(globs, folders) : undefined;
  if (named) return { ...scope, ...named, args: [...named.args, ...scope.args] };
  return {
    ...scope,
    // A glob of ripgrep's own overrides ignore rules, so what it lets in is judged once more.
    args: [...(everything ? [] : globs.flatMap(includeArguments)), ...scope.args],
    lets(path) {
      const base = folders.find((folder) => path.startsWith(`${folder}/`)) ?? "";
      return root.rules.ignoresBelow(base, path).then((ignored) => !ignored);
    },
  };
}

/**
 * Globs that end in names of files, as a file type: unlike a glob it does not override ignore rules. The folders in the
 * globs are left to be compared.
 */
function nameScope(
  globs: readonly string[],
  folders: readonly string[],
): Pick<RipgrepScope, "args" | "lets"> | undefined {
  const names = globs.map(fileNameGlob);
  // A type is written as its name, a colon and its glob.
  if (names.some((name) => name === undefined || name.includes(":"))) return undefined;
  const args = [...names.flatMap((name) => ["--type-add", `wanted:${name}`]), "--type=wanted"];
  const namesSuffice = globs.every((glob, index) => {
    const before = glob.slice(0, glob.length - (names[index] ?? "").length);
    const { base } = globBase(glob);
    return (
      before === "" || (folders.length === 1 && folders[0] === base && before === (base === "" ? "**/" : `${base}/**/`))
    );
  });
  return namesSuffice ? { args } : { args, lets: globMatcher(globs) };
}

/** A glob without a slash holds at any depth anyway; each one that ripgrep compares costs it time. */
function atAnyDepth(glob: string): string {
  return /^\*\*\/[^/]+$/.test(glob) ? glob.slice(3) : glob;
}

function includeArguments(glob: string): string[] {
  const own = ["--glob", glob];
  return fileNameGlob(glob) === undefined ? [...own, "--glob", `${glob.replace(/\/$/, "")}/**`] : own;
}

/**
 * The folder a glob can be searched from. Named folders are followed even where they are links, so one that passes
 * through a link, or climbs, is not named: the walk from the top finds nothing behind it.
 */
async function startOf(folder: string, glob: string): Promise<string> {
  const { base } = globBase(glob);
  if (base === "" || base.split("/").includes("..")) return "";
  try {
    return (await realpath(join(folder, base))) === join(await realpath(folder), base) ? base : "";
  } catch {
    // Not there: nothing is found from the top either.
    return "";
  }
}

const ignoreFiles = [".gitignore", ".ignore"];

/** Below the top, ripgrep does not look for the top's own ignore files. */
async function topIgnoreFiles(folder: string): Promise<string[]> {
  return (await ignoreFilesIn(folder)).map((name) => `--ignore-file=${name}`);
}

/** Nor for those between the top and a folder that it starts from, which no argument can name: paths would not fit. */
async function haveRulesAbove(top: string, folders: readonly string[]): Promise<boolean> {
  const between = new Set(folders.flatMap((folder) => pathsDownTo(folder).slice(0, -1)));
  const found = await Promise.all([...between].map((folder) => ignoreFilesIn(join(top, folder))));
  return found.some((names) => names.length > 0);
}

/** Where ripgrep has to start it takes, ignored or not. */
async function areIgnored({ rules }: RipgrepRoot, folders: readonly string[]): Promise<boolean> {
  const downTo = new Set(folders.filter((folder) => folder !== "").flatMap(pathsDownTo));
  const verdicts = await Promise.all([...downTo].map((folder) => rules.ignores(folder, "directory")));
  return verdicts.includes(true);
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    // A search of it finds out.
    return [];
  }
}

async function ignoreFilesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return ignoreFiles.filter((name) => names.includes(name));
}
