import * as vscode from "vscode";
import type { EditorState, Environment } from "../prompts/contextBlocks.ts";
import { editorRoots } from "../workspace/editorRoots.ts";
import type { Workspace } from "../workspace/workspace.ts";
import {
  describeEditors,
  foundRepositories,
  type OpenEditors,
  openPathsOf,
  type Repository,
  readCommitsAhead,
  readEnvironment,
  rememberCommits,
} from "./readSurroundings.ts";

type PathOf = (uri: vscode.Uri) => string | undefined;

interface EditorEnvironment {
  read(): Promise<Environment>;
  /** Asks what takes long and stays the same, before it is needed. */
  prepare(): Promise<void>;
}

/** Where agents work, as the editor knows it. */
export function createEditorEnvironment(workspace: Pick<Workspace, "list">): EditorEnvironment {
  const remembering = rememberCommits();
  const repository = () => {
    const [first] = foundRepositories<Repository>(vscode.extensions.getExtension("vscode.git"));
    return first && remembering(first);
  };
  return {
    read() {
      const roots = editorRoots().map(({ name, uri }) => ({
        name,
        path: uri.scheme === "file" ? uri.fsPath : undefined,
        isReadOnly: vscode.workspace.fs.isWritableFileSystem(uri.scheme) === false,
      }));
      return readEnvironment({ isTrusted: vscode.workspace.isTrusted, roots, repository, now: new Date() }, workspace);
    },
    async prepare() {
      const known = vscode.workspace.isTrusted ? repository() : undefined;
      if (known !== undefined) await readCommitsAhead(known);
    },
  };
}

/** Files of the workspace that are open in tabs, the active one first. */
export function openPaths(pathOf: PathOf): string[] {
  return openPathsOf(shownFiles(pathOf));
}

/** What the user looks at. */
export function editorState(pathOf: PathOf): EditorState {
  const unsaved = vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty);
  const problems = vscode.languages.getDiagnostics().map(([uri, list]) => ({
    path: pathOf(uri),
    count: list.filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning).length,
  }));
  return describeEditors({ ...shownFiles(pathOf), unsaved: new Set(unsaved.map(({ uri }) => pathOf(uri))), problems });
}

function shownFiles(pathOf: PathOf): Pick<OpenEditors, "active" | "tabs"> {
  const editor = vscode.window.activeTextEditor;
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return {
    active: editor && { path: pathOf(editor.document.uri), selection: editor.selection },
    tabs: tabs.flatMap(({ input }) => (input instanceof vscode.TabInputText ? [pathOf(input.uri)] : [])),
  };
}
