import type { ChangeStore } from "./changeStore.ts";
import type { TrackedFile, WrittenHunk } from "./model/change.ts";
import { replacementsBetween } from "./model/diffLines.ts";
import { hunkStates } from "./model/hunkStates.ts";
import type { Extent } from "./model/lineEdit.ts";
import { mergeTexts } from "./model/mergeTexts.ts";
import { liveText } from "./model/trackedLines.ts";
import { typeInto } from "./model/typeInto.ts";
import { keepHunks, switched, unanswerable } from "./model/undoHunks.ts";
import { currentText, type ReviewedWorkspace } from "./reviewedWorkspace.ts";
import type { UndoneFile } from "./undoWritten.ts";

interface RedoContext {
  store: ChangeStore;
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
  const { conflicts, typedMeanwhile } = await writeBack(workspace, path, file, current);
  const now = await currentText(workspace, path);
  const left = store.find(pathAfter);
  const known = new Set([...(left?.hunks ?? []), ...undone].map(({ id }) => id));
  // What was answered since is answered; what other agents wrote since stays pending.
  const open = keepHunks(before, ({ id }) => !known.has(id));
  if (left?.hunks.some(({ id }) => before.hunks.every((hunk) => hunk.id !== id))) {
    if (now !== undefined) store.setWrittenText(path, now.text);
    return 0;
  }
  const conflicting = hunksAt(before, conflicts).map(({ id }) => id);
  const back = new Set(undone.map(({ id }) => id).filter((id) => !conflicting.includes(id)));
  const typed = withTyped(open, back, { now: now?.text ?? "", typedMeanwhile });
  const missing = new Set([...conflicting, ...unanswerable(typed).map(({ id }) => id)]);
  const lost = typed.hunks.filter(({ id }) => missing.has(id) && undone.some((hunk) => hunk.id === id));
  if (isMoved && left !== undefined) store.put({ ...left, hunks: [] });
  store.put(keepHunks(typed, (hunk) => lost.includes(hunk)));
  return lost.length;
}

interface TypedTexts {
  /** The text since the hunks are back. */
  now: string;
  /** The text that the user made without them. Absent when there was no file. */
  typedMeanwhile?: string | undefined;
}

/** What was typed without the hunks is placed in the file as it was then: beside lines that are gone its place is unknown. */
function withTyped(file: TrackedFile, back: ReadonlySet<string>, { now, typedMeanwhile }: TypedTexts): TrackedFile {
  if (liveText(file) === now) return file;
  if (typedMeanwhile === undefined) return typeInto(file, now);
  const typed = switched(typeInto(switched(file, back, "undone"), typedMeanwhile), back, "written");
  return liveText(typed) === now ? typed : typeInto(typed, now);
}

interface WrittenBack {
  /** The lines of the text before the undo that do not come back, since the user changed them. */
  conflicts: readonly Extent[];
  /** What the user made of the text since the undo, without what the hunks make of it too. */
  typedMeanwhile?: string;
}

async function writeBack(
  workspace: ReviewedWorkspace,
  path: string,
  { textBefore, textAfter }: UndoneFile,
  current: { text: string; version: string } | undefined,
): Promise<WrittenBack> {
  if (current === undefined) {
    if (textBefore !== undefined) await workspace.create(path, textBefore);
    return { conflicts: [] };
  }
  if (textBefore === undefined) {
    await workspace.remove(path);
    return { conflicts: [] };
  }
  // Where both changed the same lines, the last of the three wins: the user.
  const { text, conflicts, onlyTheirs } = mergeTexts(textAfter ?? "", textBefore, current.text);
  if (text !== current.text)
    await workspace.replace(path, replacementsBetween(current.text, text), current.version, { isExact: true });
  return { conflicts: conflicts.map(({ mine }) => mine), typedMeanwhile: onlyTheirs };
}

/**
 * Hunks that wrote or removed lines there. Undone again, one whose lines never came back would put what it removed
 * beside what the user left of it.
 */
function hunksAt(file: TrackedFile, extents: readonly Extent[]): WrittenHunk[] {
  const states = hunkStates(file);
  return file.hunks.filter(({ id, hunk }) => {
    const { start, end } = states.get(id)?.range ?? { start: 0, end: 0 };
    return extents.some((extent) =>
      // What only removed lines is a place between two lines.
      extent.start === extent.end || start === end
        ? hunk.oldLines.length > 0 && extent.start <= end && start <= extent.end
        : extent.start < end && start < extent.end,
    );
  });
}
