import type { FileContent } from "../../workspace/workspace.ts";
import { currentText, type ReviewedWorkspace } from "../currentText.ts";
import { diffLines } from "../hunks/diffLines.ts";
import { splitPieces } from "../hunks/pieces.ts";
import type { AppliedFile, AppliedHunk } from "./appliedEdits.ts";
import type { AppliedStore } from "./appliedStore.ts";
import { type Undone, undoHunks } from "./undoHunks.ts";

interface UndoContext {
  store: AppliedStore;
  workspace: ReviewedWorkspace;
}

type TextContent = Extract<FileContent, { kind: "text" }>;

/** How often a write is tried again because the user typed meanwhile. */
const mostAttempts = 5;

/** Takes hunks of one file back in one undo step. Gives how many that were meant could not be. */
export async function undoInFile(
  { store, workspace }: UndoContext,
  path: string,
  isMeant: (hunk: AppliedHunk) => boolean,
): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const content = await currentText(workspace, path);
    const file = inStep(store, path, content);
    if (file === undefined) return 0;
    // Somebody put another file in the place of the one that was deleted.
    const isTaken = (hunk: AppliedHunk) => hunk.kind === "delete" && content !== undefined;
    const result = undoHunks(file, (hunk) => isMeant(hunk) && !isTaken(hunk));
    const conflicts = result.conflicts.length + file.hunks.filter((hunk) => isMeant(hunk) && isTaken(hunk)).length;
    if (result.undone.length === 0) return conflicts;
    try {
      await write(workspace, path, content, result);
      await settle({ store, workspace }, path, result);
      return conflicts;
    } catch (error) {
      const now = await currentText(workspace, path);
      if (now?.version === content?.version || attempt === mostAttempts) throw error;
    }
  }
}

/** Undefined when the file is gone and nobody's deletion is pending: then nothing of it is. */
function inStep(store: AppliedStore, path: string, content: TextContent | undefined): AppliedFile | undefined {
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
  const isUndone = (kind: AppliedHunk["kind"]) => undone.some((hunk) => hunk.kind === kind);
  if (content === undefined) {
    if (!isUndone("add")) await workspace.create(path, text);
  } else if (isUndone("add") && text === "") {
    await workspace.remove(path);
  } else if (text !== content.text) {
    await workspace.replace(path, replacementsBetween(content.text, text), content.version);
  }
}

async function settle({ store, workspace }: UndoContext, path: string, { file, undone }: Undone): Promise<void> {
  store.put(file);
  const moved = undone.find(({ kind }) => kind === "move")?.movedFrom;
  if (moved !== undefined) {
    await workspace.move(path, moved);
    store.put({ ...file, hunks: [] });
    store.put({ ...file, path: moved });
  }
  const now = await currentText(workspace, moved ?? path);
  if (now !== undefined) store.setText(moved ?? path, now.text);
}

/** Ranges of the lines that differ. */
function replacementsBetween(before: string, after: string) {
  const offsets = [0];
  for (const piece of splitPieces(before)) offsets.push((offsets.at(-1) ?? 0) + piece.length);
  return diffLines(before, after).map(({ oldStart, oldText, newText }) => {
    const start = offsets[oldStart - 1] ?? before.length;
    return { start, end: start + oldText.length, text: newText };
  });
}
