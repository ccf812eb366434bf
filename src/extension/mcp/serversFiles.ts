import * as vscode from "vscode";

interface ServersFile {
  folder: vscode.WorkspaceFolder;
  file: vscode.Uri;
}

/** Where the workspace may define servers. Only a folder on this machine's disk can run one. */
export function serversFiles(): ServersFile[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  return folders.map((folder) => ({ folder, file: vscode.Uri.joinPath(folder.uri, ".vscode", "mcp.json") }));
}

/** The text of a file; undefined where there is none. */
export async function readIfThere(file: vscode.Uri): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === "FileNotFound") return undefined;
    throw error;
  }
}
