import { realpath } from "node:fs/promises";
import { t } from "@vscode/l10n";
import * as vscode from "vscode";
import { ToolError, UserError } from "../common/userError.ts";
import { type FoundFile, statOf } from "./fileStat.ts";
import { type Location, locate, outside, pathOf, type Root, refuseLinksOutside, rootNames } from "./paths.ts";

/** An open folder of the editor. */
export interface EditorRoot extends Root {
  uri: vscode.Uri;
}

/** A file or folder of the workspace, for the model and for the editor. */
export interface ResolvedPath {
  path: string;
  relative: string;
  root: EditorRoot;
  uri: vscode.Uri;
}

export function editorRoots(): EditorRoot[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const names = rootNames(folders.map((folder) => folder.name));
  return folders.map(({ uri, name }, index) => {
    const path = uri.scheme === "file" ? uri.fsPath.replaceAll("\\", "/") : uri.path;
    return { name: names[index] ?? name, path: path.length > 1 ? path.replace(/\/$/, "") : path, uri };
  });
}

/** The folders of the workspace that are on this machine's disk, as absolute paths. */
export function diskRoots(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) => (uri.scheme === "file" ? [uri.fsPath] : []));
}

/** Where a path of the model points, judged by its text alone. */
export function resolveLexically(path: string): ResolvedPath {
  return resolveByText(path).resolved;
}

/** The path itself, judged by its text alone. */
export function canonicalPath(path: string): string {
  const roots = editorRoots();
  const { root, relative } = locate(path, roots, process.platform);
  return pathOf(root, relative, roots);
}

/** Where a path points; refused when a link on the way leaves the workspace. Judge again before every use. */
export async function resolvePath(path: string): Promise<ResolvedPath> {
  const { location, resolved } = resolveByText(path);
  await refuseLinks(location, resolved);
  return resolved;
}

/** The same with what is there, which is looked at while the way is judged. */
export async function lookAtPath(path: string): Promise<{ file: ResolvedPath; found: FoundFile | undefined }> {
  const { location, resolved } = resolveByText(path);
  const looking = statOf(resolved.uri);
  // Of what is refused it does not matter what is there.
  looking.catch(() => undefined);
  await refuseLinks(location, resolved);
  return { file: resolved, found: await looking };
}

function resolveByText(path: string): { location: Location; resolved: ResolvedPath } {
  const roots = editorRoots();
  const location = locate(path, roots, process.platform);
  return { location, resolved: resolvedAt(location, path, roots) };
}

async function refuseLinks(location: Location, { uri, root }: ResolvedPath): Promise<void> {
  if (uri.scheme !== "file") return;
  try {
    await refuseLinksOutside(location);
  } catch (error) {
    await refuseGoneRoot(root);
    throw error;
  }
}

/** Throws when an open folder does not exist any more. */
export async function refuseGoneRoot({ uri, name }: Pick<EditorRoot, "uri" | "name">): Promise<void> {
  // What can't be looked at is not known to be gone.
  const isGone = await statOf(uri).then(
    (found) => found === undefined,
    () => false,
  );
  if (isGone) throw folderGone(editorRoots().length > 1 ? name : undefined);
}

function resolvedAt({ root, relative }: Location, path: string, roots: readonly EditorRoot[]): ResolvedPath {
  const editorRoot = roots.find((candidate) => candidate.name === root.name);
  if (!editorRoot) throw outside(path);
  const uri = relative === "" ? editorRoot.uri : vscode.Uri.joinPath(editorRoot.uri, relative);
  return { path: pathOf(root, relative, roots), relative, root: editorRoot, uri };
}

/** The path of something the editor knows; absent outside the workspace. */
export function resolveUri(uri: vscode.Uri): ResolvedPath | undefined {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const roots = editorRoots();
  const root = folder && roots.find((candidate) => candidate.uri.toString() === folder.uri.toString());
  if (!root) return undefined;
  const relative = uri.path.slice(root.uri.path.length).replace(/^\//, "");
  return { path: pathOf(root, relative, roots), relative, root, uri };
}

/**
 * A folder of the workspace to run commands in: its path there, `.` for the only open folder, and on the machine that
 * the extension runs on, without links, like that of the workspace's folder.
 */
export interface CommandFolder {
  path: string;
  absolute: string;
  root: string;
}

/** The folder of that path, or the first open one. Throws a `ToolError` where no process can run. */
export async function editorFolder(path: string | undefined): Promise<CommandFolder> {
  const roots = editorRoots();
  const [first] = roots;
  if (first === undefined)
    throw new ToolError("No folder is open, so there is nowhere to run a command. Open one first.");
  const isDefault = path === undefined || path === "" || path === ".";
  const resolved = isDefault ? { path: first.name, uri: first.uri, root: first } : await resolvePath(path);
  if (resolved.uri.scheme !== "file") {
    throw new ToolError(`${resolved.path} is not on this machine's disk, so no command can run there.`);
  }
  await refuseGoneRoot(resolved.root);
  const found = await statOf(resolved.uri);
  if (found === undefined || (found.type & vscode.FileType.Directory) === 0)
    throw new ToolError(`${resolved.path} is no folder. Give a folder as cwd.`);
  const isOnlyRoot = roots.length === 1 && (isDefault || resolved.path === "");
  const [absolute, root] = await Promise.all([resolved.uri, resolved.root.uri].map(({ fsPath }) => realpath(fsPath)));
  if (absolute === undefined || root === undefined) throw outside(resolved.path);
  return { path: isOnlyRoot ? "." : resolved.path, absolute, root };
}

/** `name` is that of the folder, where several are open. */
function folderGone(name?: string): UserError {
  return new UserError(
    name === undefined ? t("The workspace folder is gone.") : t("The workspace folder {0} is gone.", name),
    `The workspace folder${name === undefined ? "" : ` ${name}`} is gone: nothing can be read or written there. Tell the user.`,
  );
}
