import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { expandGlobs, globBase } from "./globs.ts";
import type { IgnoreRules } from "./ignoreRules.ts";
import { matchesOf, relativePath } from "./ripgrepEvents.ts";
import { type RipgrepRun, ripgrepLines } from "./ripgrepProcess.ts";
import { pathFilter } from "./walkSearch.ts";
import type { TextMatch, TextSearch } from "./workspace.ts";

/** One root as ripgrep is run in it. */
export interface RipgrepRoot {
  binary: string;
  folder: string;
  /** Globs of the user's settings for what searches leave out. */
  always: readonly string[];
  rules: IgnoreRules;
}

/** A user's own configuration and rules outside the workspace are left alone, so that all searches see the same files. */
const common = ["--no-config", "--hidden", "--no-require-git", "--no-ignore-global", "--no-ignore-parent"];

/** Text search in one root. Paths come relative to it. */
export async function* ripgrepSearch(
  root: RipgrepRoot,
  search: TextSearch,
  signal: AbortSignal,
): AsyncGenerator<TextMatch> {
  const scope = await scopeOf(root, search.include, search.exclude);
  const args = ["--json", ...queryArguments(search), ...scope.args, "--", ...scope.folders];
  let left = search.limit;
  for await (const match of matchesOf(ripgrepLines(runIn(root, args, search.query), signal))) {
    if (!(await scope.lets(match.path))) continue;
    if (match.isMatch && left-- <= 0) return;
    yield match;
    if (left === 0 && search.contextLines === 0) return;
  }
}

/** The same search in a text that is not on disk. */
export async function* ripgrepText(
  root: RipgrepRoot,
  search: TextSearch,
  { path, text }: { path: string; text: string },
  signal: AbortSignal,
): AsyncGenerator<TextMatch> {
  const run = { ...runIn(root, ["--json", ...queryArguments(search), "--", "-"], search.query), input: text };
  for await (const match of matchesOf(ripgrepLines(run, signal))) yield { ...match, path };
}

/** Every file of a root that matches a glob; relative to it, in no order. */
export async function ripgrepFiles(root: RipgrepRoot, pattern: string, signal: AbortSignal): Promise<string[]> {
  const scope = await scopeOf(root, pattern, undefined);
  const args = ["--files", ...common, ...scope.args, "--", ...scope.folders];
  const paths: string[] = [];
  for await (const line of ripgrepLines(runIn(root, args, pattern), signal)) {
    const path = relativePath(line);
    if (await scope.lets(path)) paths.push(path);
  }
  return paths;
}

function runIn(root: RipgrepRoot, args: readonly string[], query: string): RipgrepRun {
  return { binary: root.binary, folder: root.folder, args, query };
}

function queryArguments({ query, regex, caseSensitive, contextLines }: TextSearch): string[] {
  const lines = query.split(/\r?\n/);
  // A literal over several lines has to match whatever their ends are, which only an expression can say.
  const literal = lines.length > 1 ? lines.map(escaped).join("\\r?\\n") : query;
  const spansLines = lines.length > 1 || (regex && /\\n/.test(query));
  return [
    ...common,
    "--crlf",
    caseSensitive ? "--case-sensitive" : "--ignore-case",
    ...(contextLines > 0 ? [`--context=${contextLines}`] : []),
    ...(spansLines ? ["--multiline"] : []),
    ...(regex || spansLines ? [] : ["--fixed-strings"]),
    `--regexp=${regex ? query : literal}`,
  ];
}

interface Scope {
  args: string[];
  folders: string[];
  /** An including glob overrides ignore rules in ripgrep: what it lets in is judged once more. */
  lets(path: string): Promise<boolean>;
}

async function scopeOf(root: RipgrepRoot, include: string | undefined, exclude: string | undefined): Promise<Scope> {
  const excluded = [".git", ...root.always, ...(exclude === undefined ? [] : expandGlobs(exclude))];
  const excludeArgs = excluded.flatMap((glob) => ["--glob", `!${glob}`]);
  if (include === undefined) return { args: excludeArgs, folders: ["./"], lets: async () => true };
  const globs = expandGlobs(include);
  const bases = await Promise.all(globs.map((glob) => startOf(root.folder, glob)));
  const folders = bases.includes("") ? [""] : [...new Set(bases)];
  const everything = globs.every((glob, index) => {
    const start = globBase(glob);
    return start.everything && folders.includes(start.base) && start.base === bases[index];
  });
  const included = everything
    ? []
    : globs.flatMap((glob) => ["--glob", glob, "--glob", `${glob.replace(/\/$/, "")}/**`]);
  return {
    args: [...included, ...excludeArgs, ...(folders.includes("") ? [] : await topIgnoreFiles(root.folder))],
    folders: folders.map((folder) => `./${folder}`),
    async lets(path) {
      const base = folders.find((folder) => path.startsWith(`${folder}/`)) ?? "";
      return !(await root.rules.ignoresBelow(base, path));
    },
  };
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

/** Below the top, ripgrep does not look for the top's own ignore files. */
async function topIgnoreFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return [".gitignore", ".ignore"].filter((name) => names.includes(name)).map((name) => `--ignore-file=${name}`);
}

/** Whether a path that is not on disk as it is would be searched. */
export async function isSearched(root: RipgrepRoot, path: string, search: TextSearch): Promise<boolean> {
  if (!pathFilter(search)(path)) return false;
  const bases = search.include === undefined ? [] : expandGlobs(search.include).map((glob) => globBase(glob).base);
  const base = bases.find((folder) => folder !== "" && path.startsWith(`${folder}/`)) ?? "";
  return !(await root.rules.ignoresBelow(base, path));
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|#&~-]/g, "\\$&");
}
