import * as vscode from "vscode";

const mostKept = 50;

/** The files that were shown in an editor, latest first; those of open tabs are known from the start. */
export class RecentFiles implements vscode.Disposable {
  readonly #pathOf: (uri: vscode.Uri) => string | undefined;
  readonly #listening: vscode.Disposable;
  #paths: string[];

  constructor(pathOf: (uri: vscode.Uri) => string | undefined) {
    this.#pathOf = pathOf;
    this.#paths = tabUris().flatMap((uri) => pathOf(uri) ?? []);
    this.#listening = vscode.window.onDidChangeActiveTextEditor((editor) => this.#remember(editor));
    this.#remember(vscode.window.activeTextEditor);
  }

  get paths(): readonly string[] {
    return this.#paths;
  }

  dispose(): void {
    this.#listening.dispose();
  }

  #remember(editor: vscode.TextEditor | undefined): void {
    const path = editor === undefined ? undefined : this.#pathOf(editor.document.uri);
    if (path === undefined) return;
    this.#paths = [path, ...this.#paths.filter((known) => known !== path)].slice(0, mostKept);
  }
}

function tabUris(): vscode.Uri[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) =>
    tabs.flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : [])),
  );
}
