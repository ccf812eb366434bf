import * as vscode from "vscode";
import { type EditorRoot, editorRoots, placeOfUri } from "./editorRoots.ts";
import { editorTree } from "./editorTree.ts";
import { ignoreRules } from "./ignoreRules.ts";
import { outside, pathOf } from "./paths.ts";
import { isSearched, type RipgrepRoot, ripgrepDated, ripgrepSearch, ripgrepText } from "./ripgrepSearch.ts";
import { globsInRoot } from "./scopedGlobs.ts";
import type { Walk } from "./walkFiles.ts";
import { type DatedPath, newestOf, walkDated, walkSearch } from "./walkSearch.ts";
import type { FoundFiles, TextMatch, TextSearch } from "./workspace.ts";

/** The ripgrep to use; absent where there is none and the files are walked. */
export type RipgrepFinder = () => Promise<string | undefined>;

/** Searches every open folder, one after the other; the limit holds for all of them. */
export async function* searchEditor(
  search: TextSearch,
  findRipgrep: RipgrepFinder,
  signal: AbortSignal,
): AsyncGenerator<TextMatch> {
  const roots = editorRoots();
  refuseClimbing(search.include);
  let left = search.limit;
  for (const root of roots) {
    const scoped = searchIn(root, { ...search, limit: left }, roots);
    if (!scoped) continue;
    for await (const match of searchRoot(root, scoped, findRipgrep, signal)) {
      if (match.isMatch && left-- <= 0) return;
      yield { ...match, path: pathOf(root, match.path, roots) };
    }
  }
}

/** Files of every open folder that match, newest first. */
export async function findInEditor(
  pattern: string,
  limit: number,
  findRipgrep: RipgrepFinder,
  signal: AbortSignal,
): Promise<FoundFiles> {
  const roots = editorRoots();
  refuseClimbing(pattern);
  const found: DatedPath[] = [];
  for (const root of roots) {
    const scoped = globsInRoot(pattern, root.name, namesOf(roots));
    if (scoped === undefined) continue;
    for (const { path, modifiedAt } of await datedFiles(root, scoped, findRipgrep, signal)) {
      found.push({ path: pathOf(root, path, roots), modifiedAt });
    }
  }
  return newestOf(found, limit);
}

/** What the user's settings leave out of searches, as globs. */
function settingExcludes(root: EditorRoot): string[] {
  const configuration = vscode.workspace.getConfiguration(undefined, root.uri);
  return ["files.exclude", "search.exclude"].flatMap((key) =>
    Object.entries(configuration.get<Record<string, unknown>>(key, {}))
      .filter(([, value]) => value === true)
      .map(([glob]) => glob),
  );
}

export function walkOf(root: EditorRoot, signal: AbortSignal): Walk {
  const tree = editorTree(root);
  return { tree, rules: ignoreRules(tree, settingExcludes(root)), signal };
}

async function* searchRoot(
  root: EditorRoot,
  search: TextSearch,
  findRipgrep: RipgrepFinder,
  signal: AbortSignal,
): AsyncGenerator<TextMatch> {
  const binary = root.uri.scheme === "file" ? await findRipgrep() : undefined;
  if (binary === undefined) {
    yield* walkSearch(search, walkOf(root, signal));
    return;
  }
  const unsaved = unsavedIn(root);
  const ripgrepRoot = ripgrepIn(root, binary, signal);
  for (const [path, text] of unsaved) {
    if (await isSearched(ripgrepRoot, path, search)) yield* ripgrepText(ripgrepRoot, search, { path, text }, signal);
  }
  for await (const match of ripgrepSearch(ripgrepRoot, search, signal)) if (!unsaved.has(match.path)) yield match;
}

async function datedFiles(
  root: EditorRoot,
  pattern: string,
  findRipgrep: RipgrepFinder,
  signal: AbortSignal,
): Promise<DatedPath[]> {
  const binary = root.uri.scheme === "file" ? await findRipgrep() : undefined;
  if (binary === undefined) return walkDated(pattern, walkOf(root, signal));
  return ripgrepDated(ripgrepIn(root, binary, signal), pattern, signal);
}

function ripgrepIn(root: EditorRoot, binary: string, signal: AbortSignal): RipgrepRoot {
  return { binary, folder: root.uri.fsPath, always: settingExcludes(root), rules: walkOf(root, signal).rules };
}

/** The texts of unsaved documents by their path in the root. */
function unsavedIn(root: EditorRoot): Map<string, string> {
  const texts = new Map<string, string>();
  for (const document of vscode.workspace.textDocuments) {
    const place = document.isDirty ? placeOfUri(document.uri) : undefined;
    if (place?.root.name === root.name) texts.set(place.relative, document.getText());
  }
  return texts;
}

function searchIn(root: EditorRoot, search: TextSearch, roots: readonly EditorRoot[]): TextSearch | undefined {
  const { include, exclude, ...rest } = search;
  const included = include === undefined ? undefined : globsInRoot(include, root.name, namesOf(roots));
  if (include !== undefined && included === undefined) return undefined;
  const excluded = exclude === undefined ? undefined : globsInRoot(exclude, root.name, namesOf(roots));
  return {
    ...rest,
    ...(included === undefined ? {} : { include: included }),
    ...(excluded === undefined ? {} : { exclude: excluded }),
  };
}

function namesOf(roots: readonly EditorRoot[]): string[] {
  return roots.map((root) => root.name);
}

function refuseClimbing(pattern: string | undefined): void {
  if (pattern?.split("/").includes("..")) throw outside(pattern);
}
