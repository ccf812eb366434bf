import { currentText, type ReviewedWorkspace } from "../currentText.ts";
import type { WrittenFile, WrittenHunk } from "../model/change.ts";
import { replacementsBetween } from "../model/diffLines.ts";
import { mergeTexts } from "../model/mergeTexts.ts";
import { textOf } from "../model/trackedLines.ts";
import { typeInto } from "../model/trackText.ts";
import { keepHunks, unanswerable } from "../model/undoHunks.ts";
import type { AppliedStore } from "./appliedStore.ts";

/** What one undo did to one file. */
export interface UndoneFile {
  /** With the hunks that were undone; its text is absent when there was no file. */
  before: WrittenFile;
  textBefore?: string;
  /** Where the file is since, and its text there; absent when there is none. */
  pathAfter: string;
  textAfter?: string;
  undone: readonly WrittenHunk[];
}

interface RedoContext {
  store: AppliedStore;
  workspace: ReviewedWorkspace;
}

/**
 * Brings undone hunks of a file back as pending, built on what the user typed since: where both changed the same lines,
 * the user's stay. Gives how many hunks could not come back.
 */
export async function redoInFile(context: RedoContext, file: UndoneFile): Promise<number> {
  const { store, workspace } = context;
  const { before, textBefore, pathAfter, textAfter, undone } = file;
  const { path } = before;
  const current = await currentText(workspace, pathAfter);
  const isMoved = pathAfter !== path;
  const isTaken = isMoved && (await workspace.stat(path)) !== undefined;
  const isGone = (current === undefined) !== (textAfter === undefined);
  const isOther = textBefore === undefined && current?.text !== textAfter;
  if (isTaken || isGone || isOther) return undone.length;
  if (isMoved) await workspace.move(pathAfter, path);
  await write(workspace, path, file, current);
  const now = await currentText(workspace, path);
  const left = store.find(pathAfter);
  const known = new Set([...(left?.hunks ?? []), ...undone].map(({ id }) => id));
  // What was answered since is answered; what other agents wrote since stays pending by itself.
  const open = keepHunks(before, ({ id }) => !known.has(id));
  if (left?.hunks.some(({ id }) => before.hunks.every((hunk) => hunk.id !== id))) {
    if (now !== undefined) store.setText(path, now.text);
    return 0;
  }
  const typed = textOf(open) === (now?.text ?? "") ? open : typeInto(open, now?.text ?? "");
  const lost = unanswerable(typed).filter(({ id }) => undone.some((hunk) => hunk.id === id));
  if (isMoved && left !== undefined) store.put({ ...left, hunks: [] });
  store.put(keepHunks(typed, (hunk) => lost.includes(hunk)));
  return lost.length;
}

async function write(
  workspace: ReviewedWorkspace,
  path: string,
  { textBefore, textAfter }: UndoneFile,
  current: { text: string; version: string } | undefined,
): Promise<void> {
  if (current === undefined) {
    if (textBefore !== undefined) await workspace.create(path, textBefore);
    return;
  }
  if (textBefore === undefined) {
    await workspace.remove(path);
    return;
  }
  // Where both changed the same lines, the last of the three wins: the user.
  const { text } = mergeTexts(textAfter ?? "", textBefore, current.text);
  if (text !== current.text)
    await workspace.replace(path, replacementsBetween(current.text, text), current.version, { isExact: true });
}
