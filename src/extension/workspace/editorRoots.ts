import * as vscode from "vscode";
import { folderGone } from "./fileProblems.ts";
import { type Location, locate, outside, pathOf, type Root, rootNames } from "./paths.ts";
import { refuseLinksOutside } from "./realPaths.ts";

/** An open folder of the editor. */
export interface EditorRoot extends Root {
  uri: vscode.Uri;
}

/** A file or folder of the workspace, for the model and for the editor. */
export interface Place {
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
export function lexicalPlace(path: string): Place {
  const roots = editorRoots();
  return placeAt(locate(path, roots, process.platform), path, roots);
}

/** Where a path points; refused when a link on the way leaves the workspace. Judge again before every use. */
export async function placeOf(path: string): Promise<Place> {
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

function placeAt({ root, relative }: Location, path: string, roots: readonly EditorRoot[]): Place {
  const editorRoot = roots.find((candidate) => candidate.name === root.name);
  if (!editorRoot) throw outside(path);
  const uri = relative === "" ? editorRoot.uri : vscode.Uri.joinPath(editorRoot.uri, relative);
  return { path: pathOf(root, relative, roots), relative, root: editorRoot, uri };
}

/** The place of something the editor knows; absent outside the workspace. */
export function placeOfUri(uri: vscode.Uri): Place | undefined {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const roots = editorRoots();
  const root = folder && roots.find((candidate) => candidate.uri.toString() === folder.uri.toString());
  if (!root) return undefined;
  const relative = uri.path.slice(root.uri.path.length).replace(/^\//, "");
  return { path: pathOf(root, relative, roots), relative, root, uri };
}
