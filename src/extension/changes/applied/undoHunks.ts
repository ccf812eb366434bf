import type { AppliedFile, AppliedHunk, OwnedLine } from "./appliedEdits.ts";
import { hunkStates } from "./hunkStates.ts";
import { ended, isRemembered, textOf } from "./ownedLines.ts";

export interface Undone {
  text: string;
  /** Without the hunks that were taken back. */
  file: AppliedFile;
  undone: readonly AppliedHunk[];
  /** Hunks that were meant but can't be taken back: their lines have changed, or others built on them. */
  conflicts: readonly AppliedHunk[];
}

/** Takes hunks back, latest first: what was built on them is taken back before them if it is meant too. */
export function undoHunks(current: AppliedFile, isMeant: (hunk: AppliedHunk) => boolean): Undone {
  let file = current;
  const undone: AppliedHunk[] = [];
  const conflicts: AppliedHunk[] = [];
  for (const hunk of current.hunks.toReversed()) {
    if (!isMeant(hunk)) continue;
    if (canUndo(file, hunk)) {
      file = withoutHunk(file, hunk);
      undone.push(hunk);
    } else {
      conflicts.push(hunk);
    }
  }
  const result = { ...file, lines: ended(file.lines) };
  return { text: textOf(result), file: result, undone, conflicts };
}

/** Whether it can be taken back, with everything that is pending around it. */
export function canUndo(file: AppliedFile, { id }: AppliedHunk): boolean {
  return hunkStates(file).get(id)?.isUndoable ?? false;
}

function withoutHunk(file: AppliedFile, { id }: AppliedHunk): AppliedFile {
  const lines = file.lines.flatMap((line): OwnedLine[] => {
    if (line.by === id) return [];
    if (line.goneBy !== id) return [line];
    const { goneBy: _, ...rest } = line;
    return [{ ...rest, isLive: true }];
  });
  return { ...file, lines, hunks: file.hunks.filter((hunk) => hunk.id !== id) };
}

/** The file as it would be without any pending hunk: what the user typed is in it, so that it is nobody else's. */
export function baselineOf(file: AppliedFile): string {
  return undoHunks(file, () => true).text;
}

/** The file without hunks that are kept. A hunk none of whose lines is left is kept with those that replaced it. */
export function keepHunks(file: AppliedFile, isMeant: (hunk: AppliedHunk) => boolean): AppliedFile {
  let result = file;
  for (const hunk of file.hunks.toReversed()) {
    if (isMeant(hunk) || isReplaced(result, hunk)) result = kept(result, hunk);
  }
  return result;
}

/** Wrote lines of which none is left, not even one that could come back. */
function isReplaced({ lines }: AppliedFile, { id, hunk }: AppliedHunk): boolean {
  return hunk.newLines.length > 0 && lines.every(({ by }) => by !== id);
}

function kept(file: AppliedFile, { id }: AppliedHunk): AppliedFile {
  const lines = file.lines.map(({ by, goneBy, ...line }): OwnedLine => {
    const isGone = goneBy === id && !line.isLive;
    const owner = by === id || isGone ? {} : by === undefined ? {} : { by };
    return { ...line, ...owner, ...(goneBy === undefined || goneBy === id ? {} : { goneBy }) };
  });
  const hunks = file.hunks.filter((hunk) => hunk.id !== id);
  return { ...file, lines: lines.filter(isRemembered), hunks };
}

/** Hunks that are not in the text any more, after something else than typing changed it: they can't be taken back. */
export function unanswerable(file: AppliedFile): AppliedHunk[] {
  const states = hunkStates(file);
  return file.hunks.filter(({ id }) => !states.get(id)?.isUndoable || states.get(id)?.isTakenBack);
}
