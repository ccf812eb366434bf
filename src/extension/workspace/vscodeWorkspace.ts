import * as vscode from "vscode";
import { ToolError, type UserError } from "../common/userError.ts";
import { createDocument, removeDocument } from "./documents/createDocument.ts";
import { readDocument } from "./documents/readDocument.ts";
import { refuseSwapped } from "./documents/storedFile.ts";
import { rememberSaves } from "./documents/untilText.ts";
import { replaceInDocument } from "./documents/writeDocument.ts";
import {
  canonicalPath,
  type EditorRoot,
  editorRoots,
  lookAtPath,
  refuseGoneRoot,
  resolveLexically,
  resolvePath,
  resolveUri,
} from "./editorRoots.ts";
import { doesNotExist } from "./fileProblems.ts";
import { editorDiagnostics } from "./language/editorDiagnostics.ts";
import {
  definitionOf,
  documentSymbols,
  referencesTo,
  renameEdits,
  workspaceSymbols,
} from "./language/languageFeatures.ts";
import { moveDocument } from "./language/moveDocument.ts";
import { pathOf } from "./paths.ts";
import { findInEditor, searchEditor, stillInside, walkOf } from "./search/editorSearch.ts";
import { FileAges } from "./search/fileAges.ts";
import { listFolder } from "./search/listFolder.ts";
import { findRipgrep } from "./search/ripgrep.ts";
import type { Listing, ListOptions, Workspace } from "./workspace.ts";

export interface VscodeWorkspaceOptions {
  /** The ripgrep of the user's setting; empty for the editor's own. Asked again for every search. */
  ripgrepPath(): string;
  /** Called once when the user's ripgrep can't be run and another is used. */
  warn(message: string): void;
  /** Called with the reason why a text that was written could not be saved and stays in the editor, unsaved. */
  report?(problem: UserError): void;
  /** Does what goes by names of files while no command of an agent can swap those. Default: at once. */
  undisturbed?<T>(use: () => Promise<T>): Promise<T>;
}

/** The workspace of the editor that Arbor runs in. */
export function vscodeWorkspace(options: VscodeWorkspaceOptions): Workspace & vscode.Disposable {
  const diagnostics = editorDiagnostics();
  const ripgrep = ripgrepFinder(options);
  const ages = editorAges();
  const saves = rememberSaves();
  const undisturbed = options.undisturbed ?? ((use) => use());
  return {
    roots: () => editorRoots().map((root) => root.name),
    canonicalPath,
    async stat(path) {
      if (isTop(path)) return { kind: "directory", size: 0, modifiedAt: 0 };
      const { file, found } = await lookAtPath(path);
      if (!found) {
        await refuseGoneRoot(file.root);
        return undefined;
      }
      const kind = found.type & vscode.FileType.Directory ? "directory" : "file";
      return { kind, size: found.size, modifiedAt: found.mtime };
    },
    async read(path, signal, options) {
      signal.throwIfAborted();
      const { file, found } = await lookAtPath(path);
      return readDocument(file, { found, ...options });
    },
    list,
    async findFiles(pattern, limit, signal) {
      refuseNoFolder();
      return findInEditor(pattern, limit, { findRipgrep: ripgrep, agesIn: ages.in }, signal);
    },
    async *searchText(search, signal) {
      refuseNoFolder();
      yield* searchEditor(search, ripgrep, signal);
    },
    async diagnostics(path) {
      const file = path === undefined || isTop(path) ? undefined : await resolvePath(path);
      return diagnostics.list(file);
    },
    diagnosticSnapshot: async (paths, signal) =>
      diagnostics.snapshot(await Promise.all(paths.map(resolvePath)), signal),
    changedSince: (snapshot) => diagnostics.changedSince(snapshot),
    replace: (path, replacements, version, { isExact } = {}) =>
      undisturbed(async () => {
        const file = await resolvePath(path);
        await refuseSwapped(file);
        diagnostics.expect(file.uri);
        return replaceInDocument(file, replacements, { version, isExact, report: options.report ?? (() => {}) });
      }),
    async create(path, text, removed) {
      const file = await resolvePath(path);
      diagnostics.expect(file.uri);
      return createDocument(file, text, removed);
    },
    remove: (path) =>
      undisturbed(async () => {
        const file = await resolvePath(path);
        await refuseSwapped(file);
        return removeDocument(file);
      }),
    move: (from, to) =>
      undisturbed(async () => {
        const [source, target] = [await resolvePath(from), await resolvePath(to)];
        await refuseSwapped(source);
        await refuseSwapped(target);
        diagnostics.expect(target.uri);
        return moveDocument(source, target);
      }),
    documentSymbols: async (path, signal) => documentSymbols(await resolvePath(path), signal),
    workspaceSymbols,
    definition: async (path, at, signal) => definitionOf(await resolvePath(path), at, signal),
    references: async (path, at, signal) => referencesTo(await resolvePath(path), at, signal),
    renameEdits: async (path, at, newName, signal) => renameEdits(await resolvePath(path), at, newName, signal),
    dispose() {
      ages.dispose();
      diagnostics.dispose();
      saves.dispose();
    },
  };
}

async function list(path: string, options: ListOptions, signal: AbortSignal): Promise<Listing> {
  refuseNoFolder();
  if (isTop(path)) return listRoots(options, signal);
  const { file, found } = await lookAtPath(path);
  if (!found) {
    await refuseGoneRoot(file.root);
    throw doesNotExist(path);
  }
  if (!(found.type & vscode.FileType.Directory)) throw new ToolError(`${path} is not a folder.`);
  const listing = await listFolder(file.relative, options, walkOf(file.root, signal));
  return { ...listing, entries: await inWorkspace(file.root, listing) };
}

/** Several open folders, each a folder of its own at the top. */
async function listRoots({ depth, limit }: ListOptions, signal: AbortSignal): Promise<Listing> {
  const entries: Listing["entries"] = [];
  let omitted = 0;
  for (const root of editorRoots()) {
    entries.push({ path: root.name, kind: "directory" });
    const room = { depth: depth - 1, limit: Math.max(0, limit - entries.length) };
    const listing = await listFolder("", room, walkOf(root, signal));
    entries.push(...(await inWorkspace(root, listing)));
    omitted += listing.omitted;
  }
  return { entries, omitted };
}

async function inWorkspace(root: EditorRoot, { entries }: Listing): Promise<Listing["entries"]> {
  const roots = editorRoots();
  const inside = await stillInside(
    root,
    entries.map(({ path }) => path),
  );
  const own = entries.filter(({ path }) => inside.has(path));
  return own.map(({ path, kind }) => ({ path: pathOf(root, path, roots), kind }));
}

/** The top of several open folders is none of them. */
function isTop(path: string): boolean {
  return path === "" && editorRoots().length > 1;
}

function refuseNoFolder(): void {
  if (editorRoots().length === 0) resolveLexically("");
}

function ripgrepFinder({ ripgrepPath, warn }: VscodeWorkspaceOptions): () => Promise<string | undefined> {
  const found = new Map<string, Promise<string | undefined>>();
  return () => {
    const setting = ripgrepPath();
    const known = found.get(setting);
    if (known) return known;
    const { platform, arch, env } = process;
    const search = findRipgrep({
      setting,
      appRoot: vscode.env.appRoot,
      searchPath: env.PATH ?? "",
      platform,
      arch,
    }).then((binary) => {
      if (setting !== "" && binary !== setting) {
        warn(`arbor.search.ripgrepPath: ${setting} can't be run, so ${binary ?? "a slower search"} is used.`);
      }
      return binary;
    });
    found.set(setting, search);
    return search;
  };
}

/** The ages of the files in each open folder; the editor's watcher reports which have changed. */
function editorAges(): vscode.Disposable & { in(root: EditorRoot): FileAges } {
  const folders = new Map<string, FileAges>();
  let watcher: vscode.Disposable | undefined;

  function forget(uri: vscode.Uri): void {
    const file = resolveUri(uri);
    if (file !== undefined) folders.get(file.root.uri.fsPath)?.forget(file.relative);
  }

  return {
    in(root) {
      // Watched from the first search on, so that an editor without searches pays nothing.
      watcher ??= watch(forget);
      const folder = root.uri.fsPath;
      const ages = folders.get(folder) ?? new FileAges(folder);
      folders.set(folder, ages);
      return ages;
    },
    dispose() {
      watcher?.dispose();
      for (const ages of folders.values()) ages.dispose();
    },
  };
}

function watch(onChange: (uri: vscode.Uri) => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher("**/*");
  return vscode.Disposable.from(
    watcher,
    watcher.onDidChange(onChange),
    watcher.onDidCreate(onChange),
    watcher.onDidDelete(onChange),
  );
}
