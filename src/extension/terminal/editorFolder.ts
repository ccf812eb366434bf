import * as vscode from "vscode";
import { ToolError } from "../common/userError.ts";
import { editorRoots, placeOf, refuseGoneRoot } from "../workspace/editorRoots.ts";

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
