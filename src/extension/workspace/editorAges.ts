import * as vscode from "vscode";
import { type EditorRoot, placeOfUri } from "./editorRoots.ts";
import { FileAges } from "./fileAges.ts";

/** The ages of the files in each open folder; the editor's watcher tells which have changed. */
export function editorAges(): vscode.Disposable & { in(root: EditorRoot): FileAges } {
  const folders = new Map<string, FileAges>();
  let watcher: vscode.Disposable | undefined;

  function forget(uri: vscode.Uri): void {
    const place = placeOfUri(uri);
    if (place !== undefined) folders.get(place.root.uri.fsPath)?.forget(place.relative);
  }

  return {
    in(root) {
      // Watched from the first search on, so that an editor in which nobody searches pays nothing.
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
