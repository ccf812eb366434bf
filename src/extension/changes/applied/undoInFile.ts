import type { FileContent } from "../../workspace/workspace.ts";
import { currentText, type ReviewedWorkspace } from "../currentText.ts";
import type { WrittenFile, WrittenHunk } from "../model/change.ts";
import { replacementsBetween } from "../model/diffLines.ts";
import { type Undone, undoHunks } from "../model/undoHunks.ts";
import type { AppliedStore } from "./appliedStore.ts";
import type { UndoneFile } from "./redoUndone.ts";

interface UndoContext {
  store: AppliedStore;
  workspace: ReviewedWorkspace;
}

type TextContent = Extract<FileContent, { kind: "text" }>;

/** How often a write is tried again because the user typed meanwhile: a fast typist hits the same moment repeatedly. */
const mostAttempts = 50;

export interface UndoneInFile {
  /** How many hunks that were meant could not be undone. */
  conflicts: number;
  /** Absent when none was. */
  file?: UndoneFile;
}

/** Takes hunks of one file back in one undo step. */
export async function undoInFile(
  { store, workspace }: UndoContext,
  path: string,
  isMeant: (hunk: WrittenHunk) => boolean,
): Promise<UndoneInFile> {
  for (let attempt = 1; ; attempt++) {
    const content = await currentText(workspace, path);
    const file = inStep(store, path, content);
    if (file === undefined) return { conflicts: 0 };
    // Somebody put another file in the place of the one that was deleted.
    const isTaken = (hunk: WrittenHunk) => hunk.kind === "delete" && content !== undefined;
    const result = undoHunks(file, (hunk) => isMeant(hunk) && !isTaken(hunk));
    const conflicts = result.conflicts.length + file.hunks.filter((hunk) => isMeant(hunk) && isTaken(hunk)).length;
    if (result.undone.length === 0) return { conflicts };
    try {
      await write(workspace, path, content, result);
      const after = await settle({ store, workspace }, path, result);
      const texts = { ...(content === undefined ? {} : { textBefore: content.text }), ...after };
      return { conflicts, file: { before: file, undone: result.undone, ...texts } };
    } catch (error) {
      const now = await currentText(workspace, path);
      if (now?.version === content?.version || attempt === mostAttempts) throw error;
    }
  }
}

/** Undefined when the file is gone and nobody's deletion is pending: then nothing of it is. */
function inStep(store: AppliedStore, path: string, content: TextContent | undefined): WrittenFile | undefined {
  store.setText(path, content?.text ?? "");
  const file = store.find(path);
  if (file === undefined || content !== undefined || file.hunks.some(({ kind }) => kind === "delete")) return file;
  store.put({ ...file, hunks: [] });
  return undefined;
}

async function write(
  workspace: ReviewedWorkspace,
  path: string,
  content: TextContent | undefined,
  { text, undone }: Undone,
): Promise<void> {
  const isUndone = (kind: WrittenHunk["kind"]) => undone.some((hunk) => hunk.kind === kind);
  if (content === undefined) {
    const { removed } = undone.find(({ kind }) => kind === "delete") ?? {};
    if (!isUndone("add")) await workspace.create(path, text, removed);
  } else if (isUndone("add") && text === "") {
    await workspace.remove(path);
  } else if (text !== content.text) {
    await workspace.replace(path, replacementsBetween(content.text, text), content.version, { isExact: true });
  }
}

async function settle({ store, workspace }: UndoContext, path: string, { file, undone }: Undone) {
  store.put(file);
  const moved = undone.find(({ kind }) => kind === "move")?.movedFrom;
  if (moved !== undefined) {
    await workspace.move(path, moved);
    store.put({ ...file, hunks: [] });
    store.put({ ...file, path: moved });
  }
  const now = await currentText(workspace, moved ?? path);
  if (now !== undefined) store.setText(moved ?? path, now.text);
  return { pathAfter: moved ?? path, ...(now === undefined ? {} : { textAfter: now.text }) };
}
