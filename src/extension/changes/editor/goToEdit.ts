import {
  commands,
  Range,
  Selection,
  TabInputTextDiff,
  type TextEditor,
  TextEditorRevealType,
  TextEditorSelectionChangeKind,
  window,
} from "vscode";
import { proposedText } from "../model/fitHunks.ts";
import { type EditPosition, editPositions, type LookingAt, nextEdit } from "../nextEdit.ts";
import { currentText } from "../reviewedWorkspace.ts";
import { diffSideOf, type PresenterDependencies } from "./diffDocuments.ts";
import { openDiff, openMultiDiff } from "./diffTabs.ts";

const closingLimitMs = 3_000;

/** Goes to the next edit that waits, or to the one before. Gives false when none waits. */
export async function goToEdit(dependencies: PresenterDependencies, direction: 1 | -1): Promise<boolean> {
  const from = await lookingAt(dependencies);
  const next = nextEdit(editPositions(dependencies.store, from), from, direction);
  if (next !== undefined) await showEdit(dependencies, next);
  return next !== undefined;
}

/** Where the caret is, if that is in a file of the workspace or in the diff of a proposal. */
async function lookingAt({ store, workspace, uriOf, pathOf }: PresenterDependencies): Promise<LookingAt | undefined> {
  const editor = window.activeTextEditor;
  if (editor === undefined) return undefined;
  const { line } = editor.selection.active;
  const side = diffSideOf(store, editor.document.uri, uriOf);
  if (side === undefined) {
    const path = pathOf(editor.document.uri);
    return path === undefined ? undefined : { path, line };
  }
  const { proposalId, file } = side;
  const { extents } = proposedText(file, (await currentText(workspace, file.path))?.text ?? "");
  const lines = new Map([...extents].map(([id, { start }]) => [id, start]));
  return { path: file.path, line, diff: { proposalId, lines } };
}

async function showEdit({ store, uriOf }: PresenterDependencies, position: EditPosition): Promise<void> {
  const { path, line, shownIn, proposalId } = position;
  if (shownIn === "gone") {
    return openMultiDiff({ proposals: [], files: store.files.filter((file) => file.path === path) }, uriOf);
  }
  if (shownIn === "file") {
    reveal(await window.showTextDocument(uriOf(path), { preview: true }), line);
    return;
  }
  const isShown = () => {
    const side = window.activeTextEditor && diffSideOf(store, window.activeTextEditor.document.uri, uriOf);
    return side?.proposalId === proposalId && side?.file.path === path;
  };
  if (!isShown() && proposalId !== undefined) {
    await openDiff(store, uriOf, { proposalId, path, preserveFocus: false });
  }
  if (isShown() && window.activeTextEditor !== undefined) reveal(window.activeTextEditor, line);
}

function reveal(editor: TextEditor, line: number): void {
  const range = editor.document.validateRange(new Range(line, 0, line, 0));
  editor.selections = [new Selection(range.start, range.start)];
  editor.revealRange(range, TextEditorRevealType.InCenterIfOutsideViewport);
}

/**
 * Answers a hunk at which the caret is, and goes on to the next edit that waits; not when the user did something in the
 * editor meanwhile, whose keystrokes would go elsewhere.
 */
export async function answerAndGoOn(dependencies: PresenterDependencies, answer: () => Promise<void>): Promise<void> {
  let isTouched = false;
  const following = window.onDidChangeTextEditorSelection(({ kind }) => {
    if (kind === TextEditorSelectionChangeKind.Keyboard || kind === TextEditorSelectionChangeKind.Mouse)
      isTouched = true;
  });
  const editor = window.activeTextEditor;
  try {
    const hasLeft = await answerFrom(dependencies, answer);
    if (!hasLeft && !isTouched && window.activeTextEditor === editor) await goToEdit(dependencies, 1);
  } finally {
    following.dispose();
  }
}

/**
 * Answers a hunk. When that was asked from inside a diff, which closes with its last answer, the focus would be lost with
 * it: it goes on to the next edit that waits, or else back to the panel. Gives whether it did.
 */
export async function answerFrom(dependencies: PresenterDependencies, answer: () => Promise<void>): Promise<boolean> {
  const { store, uriOf } = dependencies;
  const uri = window.activeTextEditor?.document.uri;
  const isInDiff = uri !== undefined && diffSideOf(store, uri, uriOf) !== undefined;
  await answer();
  if (!isInDiff || !(await hasClosed(uri.query))) return false;
  const next = editPositions(store).find(({ proposalId }) => proposalId !== undefined);
  if (next === undefined) await commands.executeCommand("arbor.chat.focus");
  else await showEdit(dependencies, next);
  return true;

  /** Whether the diff is gone; one that has more to answer stays. */
  async function hasClosed(proposalId: string): Promise<boolean> {
    const isOpen = () =>
      window.tabGroups.all.some(({ tabs }) =>
        tabs.some(({ input }) => input instanceof TabInputTextDiff && input.modified.query === proposalId),
      );
    const side = uri && diffSideOf(store, uri, uriOf);
    const hasMore = side?.file.hunks.some(({ decision }) => decision === "pending");
    if (hasMore || !isOpen()) return !hasMore;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), closingLimitMs);
    const following = window.tabGroups.onDidChangeTabs(() => {
      if (!isOpen()) resolve(true);
    });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      following.dispose();
    }
  }
}
