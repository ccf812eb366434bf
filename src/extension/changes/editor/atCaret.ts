import { commands, Disposable, type TextEditor, window } from "vscode";
import { proposedText } from "../model/fitHunks.ts";
import type { Extent } from "../model/lineEdit.ts";
import { shownHunks } from "../pendingHunks.ts";
import { currentText } from "../reviewedWorkspace.ts";
import { diffSideOf, proposedScheme } from "./diffUris.ts";
import type { LensDependencies } from "./lenses.ts";
import { threadContextOf } from "./threads.ts";

/** The pending hunk whose lines hold the caret; an insertion is at both lines it would stand between. */
export async function hunkAtCaret(dependencies: LensDependencies): Promise<string | undefined> {
  const editor = window.activeTextEditor;
  if (editor === undefined || dependencies.store.proposals.length === 0) return undefined;
  const line = editor.selection.active.line;
  const extents = await extentsIn(editor, dependencies);
  return [...extents].find(([, { start, end }]) =>
    start === end ? line === start || line === start - 1 : line >= start && line < end,
  )?.[0];
}

/** Where the next pending hunk is when there is none at the caret. */
export type NextHunk =
  /** In the active editor, where the editor's own commands for comments lead to it; they don't go round. */
  | "below"
  | "above"
  /** From 0. */
  | { path: string; line: number }
  | undefined;

export async function nextHunk(dependencies: LensDependencies): Promise<NextHunk> {
  const { store, pathOf, uriOf } = dependencies;
  const editor = window.activeTextEditor;
  const shown = shownHunks(store.proposals);
  if (editor !== undefined) {
    const { uri } = editor.document;
    const starts = [...(await extentsIn(editor, dependencies)).values()]
      .map(({ start }) => start)
      .sort((a, b) => a - b);
    const below = starts.find((start) => start > editor.selection.active.line);
    const line = below ?? starts[0];
    if (line !== undefined && pathOf(uri) !== undefined) return below === undefined ? "above" : "below";
    const side = diffSideOf(store, uri, uriOf);
    if (line !== undefined && side !== undefined) return { path: side.file.path, line };
  }
  const [first] = shown;
  return first && { path: first.file.path, line: first.hunk.extent.start };
}

/**
 * Lets the keys for the hunk at the caret act in its comment thread too. The editor puts the caret there when it goes to
 * a thread; one that was only clicked may belong to another hunk, which the keys must not answer.
 */
export function trackThreadAtCaret(dependencies: LensDependencies): Disposable {
  const { store } = dependencies;
  let known = "";
  const update = async () => {
    // The proposed side of a diff has no threads.
    const isFile = window.activeTextEditor?.document.uri.scheme !== proposedScheme;
    const hunkId = isFile ? await hunkAtCaret(dependencies) : undefined;
    const hunk = store.proposals
      .flatMap(({ files }) => files.flatMap(({ hunks }) => hunks))
      .find(({ id }) => id === hunkId);
    const context = hunk === undefined ? "" : threadContextOf(hunk);
    if (context === known) return;
    known = context;
    await commands.executeCommand("setContext", "arbor.review.threadAtCaret", context === "" ? [] : [context]);
  };
  // What can't be read is nothing that a key could answer; whoever answers it in another way is told why.
  const follow = () => void update().catch(() => undefined);
  return Disposable.from(
    store.onDidChange(follow),
    window.onDidChangeTextEditorSelection(follow),
    window.onDidChangeActiveTextEditor(follow),
  );
}

async function extentsIn(
  { document: { uri } }: TextEditor,
  { store, workspace, uriOf, pathOf }: LensDependencies,
): Promise<ReadonlyMap<string, Extent>> {
  if (uri.scheme === proposedScheme) {
    const side = diffSideOf(store, uri, uriOf);
    if (side === undefined) return new Map();
    return proposedText(side.file, (await currentText(workspace, side.file.path))?.text ?? "").extents;
  }
  const path = pathOf(uri);
  const shown = shownHunks(store.proposals).filter(({ file }) => file.path === path && file.change !== "add");
  return new Map(shown.map(({ hunk }) => [hunk.id, hunk.extent]));
}
