import * as vscode from "vscode";
import { ToolError } from "../common/userError.ts";
import { folderGone } from "./fileProblems.ts";
import { type Location, locate, outside, pathOf, type Root, rootNames } from "./paths.ts";
import { refuseLinksOutside } from "./realPaths.ts";

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

/** Where a path of the model points, judged by its text alone. */
export function lexicalPlace(path: string): ResolvedPath {
  const roots = editorRoots();
  return placeAt(locate(path, roots, process.platform), path, roots);
}

/** Where a path points; refused when a link on the way leaves the workspace. Judge again before every use. */
export async function placeOf(path: string): Promise<ResolvedPath> {
  const roots = editorRoots();
  const location = locate(path, roots, process.platform);
  const place = placeAt(location, path, roots);
  if (place.uri.scheme !== "file") return place;
  try {
    await refuseLinksOutside(location);
  } catch (error) {
    await refuseGoneRoot(place.root);
    throw error;
  }
  return place;
}

/** Throws when an open folder does not exist any more. */
export async function refuseGoneRoot({ uri, name }: Pick<EditorRoot, "uri" | "name">): Promise<void> {
  try {
    await vscode.workspace.fs.stat(uri);
  } catch (error) {
    if (!(error instanceof vscode.FileSystemError) || error.code !== "FileNotFound") return;
    throw folderGone(editorRoots().length > 1 ? name : undefined);
  }
}

function placeAt({ root, relative }: Location, path: string, roots: readonly EditorRoot[]): ResolvedPath {
  const editorRoot = roots.find((candidate) => candidate.name === root.name);
  if (!editorRoot) throw outside(path);
  const uri = relative === "" ? editorRoot.uri : vscode.Uri.joinPath(editorRoot.uri, relative);
  return { path: pathOf(root, relative, roots), relative, root: editorRoot, uri };
}

/** The place of something the editor knows; absent outside the workspace. */
export function placeOfUri(uri: vscode.Uri): ResolvedPath | undefined {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const roots = editorRoots();
  const root = folder && roots.find((candidate) => candidate.uri.toString() === folder.uri.toString());
  if (!root) return undefined;
  const relative = uri.path.slice(root.uri.path.length).replace(/^\//, "");
  return { path: pathOf(root, relative, roots), relative, root, uri };
}

/** A folder of the workspace to run commands in: its path there, and on the machine that the extension runs on. */
export interface CommandFolder {
  path: string;
  absolute: string;
}

/** The folder of that path, or the first open one. Throws a `ToolError` where no process can run. */
export async function editorFolder(path: string | undefined): Promise<CommandFolder> {
  const [first] = editorRoots();
  if (first === undefined)
    throw new ToolError("No folder is open, so there is nowhere to run a command. Open one first.");
  const isDefault = path === undefined || path === "" || path === ".";
  const place = isDefault ? { path: first.name, uri: first.uri, root: first } : await placeOf(path);
  if (place.uri.scheme !== "file") {
    throw new ToolError(`${place.path} is not on this machine's disk, so no command can run there.`);
  }
  await refuseGoneRoot(place.root);
  const { type } = await vscode.workspace.fs.stat(place.uri);
  if ((type & vscode.FileType.Directory) === 0)
    throw new ToolError(`${place.path} is no folder. Give a folder as cwd.`);
  return { path: place.path, absolute: place.uri.fsPath };
}
