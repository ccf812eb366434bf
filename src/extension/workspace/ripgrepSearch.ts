import type { FileAges } from "./fileAges.ts";
import { expandGlobs, globBase } from "./globs.ts";
import type { IgnoreRules } from "./ignoreRules.ts";
import type { NewestFiles } from "./newestFiles.ts";
import { matchesOf, relativePath } from "./ripgrepEvents.ts";
import { type RipgrepRun, ripgrepBatches, ripgrepLines } from "./ripgrepProcess.ts";
import { scopeOf } from "./ripgrepScope.ts";
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
  let [path, isMeant] = ["", true];
  for await (const match of matchesOf(ripgrepLines(runIn(root, args, search.query), signal))) {
    if (scope.lets && match.path !== path) [path, isMeant] = [match.path, await scope.lets(match.path)];
    if (!isMeant) continue;
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

/** Every file of a root that matches a glob; relative to it, in no order, as they are found. */
async function* ripgrepFiles(
  root: RipgrepRoot,
  pattern: string,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const scope = await scopeOf(root, pattern, undefined);
  const args = ["--files", ...common, ...scope.args, "--", ...scope.folders];
  for await (const lines of ripgrepBatches(runIn(root, args, pattern), signal)) {
    const paths = lines.map(relativePath);
    if (!scope.lets) yield paths;
    else {
      const meant: string[] = [];
      for (const path of paths) if (await scope.lets(path)) meant.push(path);
      yield meant;
    }
  }
}

/**
 * Adds them with their age, their paths told by `nameOf`. Between what ripgrep wrote together, the event loop has its
 * turn.
 */
export async function findNewest(
  { root, ages, pattern }: { root: RipgrepRoot; ages: FileAges; pattern: string },
  into: NewestFiles,
  signal: AbortSignal,
  nameOf: (path: string) => string = (path) => path,
): Promise<void> {
  for await (const paths of ripgrepFiles(root, pattern, signal)) {
    const modifiedAt = ages.modifiedAt(paths);
    for (const [index, path] of paths.entries()) into.add(nameOf(path), modifiedAt[index] ?? 0);
  }
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
