import { release, type } from "node:os";
import * as vscode from "vscode";
import { firstOf } from "../common/deadline.ts";
import type { EditorState, Environment, GitState } from "../prompts/contextBlocks.ts";
import { shellText } from "../terminal/shell.ts";
import { editorRoots } from "../workspace/editorRoots.ts";
import type { Workspace } from "../workspace/workspace.ts";

const maxEntries = 40;
const maxCommits = 3;
const maxOpenFiles = 10;
const maxProblemFiles = 5;
/** A folder or a repository that takes longer is left out: the user waits for the answer. */
const maxWaitMs = 1_500;

type PathOf = (uri: vscode.Uri) => string | undefined;

/** Where agents work, as the editor knows it. */
export async function editorEnvironment(workspace: Pick<Workspace, "list">): Promise<Environment> {
  const isTrusted = vscode.workspace.isTrusted;
  const roots = editorRoots();
  const folders = await Promise.all(
    roots.map(async (root) => {
      const listed = isTrusted ? await inTime(topOf(workspace, roots.length === 1 ? "" : root.name)) : undefined;
      return {
        name: root.name,
        path: root.uri.scheme === "file" ? root.uri.fsPath : undefined,
        entries: listed?.entries ?? [],
        omitted: listed?.omitted ?? 0,
        isReadOnly: vscode.workspace.fs.isWritableFileSystem(root.uri.scheme) === false,
      };
    }),
  );
  return {
    date: new Date().toLocaleDateString("sv"),
    system: `${type()} ${release()}, ${process.arch}`,
    shell: isTrusted ? shellText(process.platform, process.env.SHELL) : undefined,
    folders,
    git: isTrusted ? await inTime(gitState()) : undefined,
    isTrusted,
  };
}

async function topOf(workspace: Pick<Workspace, "list">, folder: string) {
  const { entries, omitted } = await workspace.list(
    folder,
    { depth: 1, limit: maxEntries },
    AbortSignal.timeout(maxWaitMs),
  );
  const names = entries.map(
    ({ path, kind }) => path.slice(path.lastIndexOf("/") + 1) + (kind === "directory" ? "/" : ""),
  );
  return { entries: names, omitted };
}

/** What is used here of the interface that the editor's own git extension offers to others. */
interface GitExtension {
  getAPI(version: 1): { repositories: readonly Repository[] };
}
interface Repository {
  state: Record<"indexChanges" | "workingTreeChanges" | "mergeChanges", readonly { uri: vscode.Uri }[]> & {
    HEAD?: { name?: string };
    untrackedChanges?: readonly { uri: vscode.Uri }[];
  };
  log(options: { maxEntries: number }): Promise<readonly { message: string }[]>;
}

/** Of the first repository, where git has been found already. */
async function gitState(): Promise<GitState | undefined> {
  const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
  if (extension?.isActive !== true) return undefined;
  const [repository] = extension.exports.getAPI(1).repositories;
  if (repository === undefined) return undefined;
  const { HEAD, indexChanges, workingTreeChanges, mergeChanges, untrackedChanges = [] } = repository.state;
  const changed = [...indexChanges, ...workingTreeChanges, ...mergeChanges, ...untrackedChanges];
  const commits = await repository.log({ maxEntries: maxCommits });
  return {
    branch: HEAD?.name,
    changedFiles: new Set(changed.map(({ uri }) => uri.toString())).size,
    commits: commits.map(({ message }) => message.split("\n", 1)[0] ?? ""),
  };
}

/** Undefined for what fails or takes too long: the rest is worth knowing without it. */
async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  let result: T | undefined;
  const done = work.then(
    (value) => {
      result = value;
    },
    () => undefined,
  );
  await firstOf(done, maxWaitMs);
  return result;
}

/** Files of the workspace that are open in tabs, the active one first. */
export function openPaths(pathOf: PathOf): string[] {
  const active = vscode.window.activeTextEditor?.document.uri;
  const tabs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
  const uris = tabs.flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  const paths = [...(active === undefined ? [] : [active]), ...uris].map((uri) => pathOf(uri));
  return [...new Set(paths.filter((path) => path !== undefined))];
}

/** What the user looks at. */
export function editorState(pathOf: PathOf): EditorState {
  const editor = vscode.window.activeTextEditor;
  const path = editor === undefined ? undefined : pathOf(editor.document.uri);
  const unsaved = new Set(
    vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ uri }) => pathOf(uri)),
  );
  return {
    active: editor === undefined || path === undefined ? undefined : { path, ...positionIn(editor) },
    open: openPaths(pathOf)
      .filter((open) => open !== path)
      .slice(0, maxOpenFiles)
      .map((open) => ({ path: open, isUnsaved: unsaved.has(open) })),
    problems: problemCounts(pathOf),
  };
}

function positionIn({ selection }: vscode.TextEditor): Omit<NonNullable<EditorState["active"]>, "path"> {
  const line = selection.active.line + 1;
  if (selection.isEmpty) return { line };
  return { line, selection: { start: selection.start.line + 1, end: selection.end.line + 1 } };
}

function problemCounts(pathOf: PathOf): EditorState["problems"] {
  return vscode.languages
    .getDiagnostics()
    .flatMap(([uri, list]) => {
      const path = pathOf(uri);
      const { length: count } = list.filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning);
      return path === undefined || count === 0 ? [] : [{ path, count }];
    })
    .sort((one, other) => other.count - one.count || (one.path < other.path ? -1 : 1))
    .slice(0, maxProblemFiles);
}
