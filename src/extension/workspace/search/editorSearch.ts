import * as vscode from "vscode";
import { decodeText, isBinary } from "../documents/encoding.ts";
import { existingInside, readInside } from "../documents/heldFiles.ts";
import { openDocument } from "../documents/readDocument.ts";
import { type EditorRoot, editorRoots, refuseGoneRoot, resolveUri } from "../editorRoots.ts";
import { statOf } from "../fileStat.ts";
import { outside, pathOf } from "../paths.ts";
import type { FoundFiles, TextMatch, TextSearch } from "../workspace.ts";
import type { FileAges } from "./fileAges.ts";
import type { FileTree } from "./fileTree.ts";
import { expandGlobs, globBase, globsInRoot } from "./globs.ts";
import { agentIgnoreFile, ignoreRules, type Walk } from "./ignoreRules.ts";
import { NewestFiles } from "./newestFiles.ts";
import { findNewest, type RipgrepRoot, ripgrepSearch, ripgrepText } from "./ripgrepSearch.ts";
import { pathFilter, walkNewest, walkSearch } from "./walkSearch.ts";

/** The ripgrep to use; absent where there is none and the files are walked. */
export type RipgrepFinder = () => Promise<string | undefined>;

/** What finding files needs beside the files. */
export interface FindTools {
  findRipgrep: RipgrepFinder;
  agesIn(root: EditorRoot): FileAges;
}

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
    await refuseGoneRoot(root);
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
  { findRipgrep, agesIn }: FindTools,
  signal: AbortSignal,
): Promise<FoundFiles> {
  const roots = editorRoots();
  refuseClimbing(pattern);
  const newest = new NewestFiles(limit);
  for (const root of roots) {
    const scoped = globsInRoot(pattern, root.name, namesOf(roots));
    if (scoped === undefined) continue;
    await refuseGoneRoot(root);
    const nameOf = (path: string) => pathOf(root, path, roots);
    const binary = root.uri.scheme === "file" ? await findRipgrep() : undefined;
    if (binary === undefined) await walkNewest(scoped, walkOf(root, signal), newest, nameOf);
    else {
      const where = { root: ripgrepIn(root, binary, signal), ages: agesIn(root), pattern: scoped };
      await findNewest(where, newest, signal, nameOf);
    }
  }
  const { paths, truncated } = newest.found();
  const existing = new Set<string>();
  for (const root of roots) {
    const start = roots.length === 1 ? "" : `${root.name}/`;
    const own = paths.filter((path) => path.startsWith(start)).map((path) => path.slice(start.length));
    for (const path of await stillInside(root, own)) existing.add(start + path);
  }
  return { paths: paths.filter((path) => existing.has(path)), truncated };
}

/** Those of the paths that are in the root, whatever was listed by their folders' names before. */
export async function stillInside(root: EditorRoot, paths: readonly string[]): Promise<Set<string>> {
  return root.uri.scheme === "file" ? existingInside(root.uri.fsPath, paths) : new Set(paths);
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
  return { tree, rules: ignoreRules(tree, settingExcludes(root), agentIgnoreFile), signal };
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

function ripgrepIn(root: EditorRoot, binary: string, signal: AbortSignal): RipgrepRoot {
  return { binary, folder: root.uri.fsPath, always: settingExcludes(root), rules: walkOf(root, signal).rules };
}

/** The texts of unsaved documents by their path in the root. */
function unsavedIn(root: EditorRoot): Map<string, string> {
  const texts = new Map<string, string>();
  for (const document of vscode.workspace.textDocuments) {
    const file = document.isDirty ? resolveUri(document.uri) : undefined;
    if (file?.root.name === root.name) texts.set(file.relative, document.getText());
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

/** Larger files are left out by searches without ripgrep. */
const maxSearchedBytes = 5 * 1024 * 1024;

/** The files of an open folder. What can't be read is taken for not there: a walk goes on. */
function editorTree(root: EditorRoot): FileTree {
  const uriOf = (path: string) => (path === "" ? root.uri : vscode.Uri.joinPath(root.uri, path));
  return {
    async entries(folder) {
      try {
        const entries = await vscode.workspace.fs.readDirectory(uriOf(folder));
        return entries.map(([name, type]) => ({ name, kind: kindOf(type) }));
      } catch {
        return [];
      }
    },
    async readText(path, options) {
      const uri = uriOf(path);
      const document = openDocument(uri);
      if (document?.isDirty) return document.getText();
      try {
        if (uri.scheme === "file") {
          const found = await readInside({ root: root.uri.fsPath, path: uri.fsPath }, maxSearchedBytes);
          const isMeant = found !== undefined && !(options?.isListed && found.real !== path) && !isBinary(found.bytes);
          return isMeant ? decodeText(found.bytes)?.text : undefined;
        }
        const stat = await vscode.workspace.fs.stat(uri);
        if (!(stat.type & vscode.FileType.File) || stat.size > maxSearchedBytes) return undefined;
        const bytes = await vscode.workspace.fs.readFile(uri);
        return isBinary(bytes) ? undefined : decodeText(bytes)?.text;
      } catch {
        return undefined;
      }
    },
    async modifiedAt(path) {
      try {
        return (await statOf(uriOf(path)))?.mtime ?? 0;
      } catch {
        return 0;
      }
    },
  };
}

function kindOf(type: vscode.FileType): "file" | "directory" | "link" {
  if (type & vscode.FileType.SymbolicLink) return "link";
  return type & vscode.FileType.Directory ? "directory" : "file";
}

/** Whether a path that is not on disk as it is would be searched. */
async function isSearched(root: RipgrepRoot, path: string, search: TextSearch): Promise<boolean> {
  if (!pathFilter(search)(path)) return false;
  const bases = search.include === undefined ? [] : expandGlobs(search.include).map((glob) => globBase(glob).base);
  const base = bases.find((folder) => folder !== "" && path.startsWith(`${folder}/`)) ?? "";
  return !(await root.rules.ignoresBelow(base, path));
}
