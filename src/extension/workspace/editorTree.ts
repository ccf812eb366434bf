import * as vscode from "vscode";
import type { EditorRoot } from "./editorRoots.ts";
import { decodeText, isBinary } from "./encoding.ts";
import type { FileTree } from "./fileTree.ts";
import { openDocument, statOf } from "./readDocument.ts";

/** Larger files are left out by searches without ripgrep. */
const largestSearched = 5 * 1024 * 1024;

/** The files of an open folder. What can't be read is taken for not there: a walk goes on. */
export function editorTree(root: EditorRoot): FileTree {
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
    async readText(path) {
      const uri = uriOf(path);
      const document = openDocument(uri);
      if (document?.isDirty) return document.getText();
      try {
        const stat = await vscode.workspace.fs.stat(uri);
        if (!(stat.type & vscode.FileType.File) || stat.size > largestSearched) return undefined;
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
