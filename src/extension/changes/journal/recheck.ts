import type { ProposedFile, TrackedFile } from "../model/change.ts";
import { hunkStates } from "../model/hunkStates.ts";
import { editsBetween, withText } from "../model/lineEdit.ts";
import { isNearer } from "../model/nearer.ts";
import { editorLines } from "../model/pieces.ts";
import { liveText } from "../model/trackedLines.ts";
import { typeInto } from "../model/typeInto.ts";
import { keepHunks, undoHunks } from "../model/undoHunks.ts";
import type { JournaledCall } from "./callRecord.ts";

/** What the files say became of a hunk. */
export type HunkFate =
  /** Not written; the user has not answered. */
  | "waiting"
  | "rejected"
  /** Not written, though it was not to be asked about. */
  | "unwritten"
  /** Written, and as it was written. */
  | "onDisk"
  /** Written, and its lines were changed since. */
  | "changed"
  /** It was written and is not in the file any more. */
  | "gone"
  /** Accepted, and the file had it already. */
  | "accepted";

export interface Rechecked {
  /** Hunks that turned out not to be written wait again; those whose lines changed are in conflict. */
  files: ProposedFile[];
  /** By hunk id. */
  fates: ReadonlyMap<string, HunkFate>;
  /** What is written and can be undone, in step with the files. */
  onDisk: TrackedFile[];
  /** The same with what can't be undone any more. */
  written: TrackedFile[];
}

/** Undefined for a file that is not there. */
type CurrentTexts = (path: string) => string | undefined;

/** What became of a call's edits that a window left in the middle, by what the files hold now. */
export function recheckCall(call: JournaledCall, currentText: CurrentTexts): Rechecked {
  const fates = new Map<string, HunkFate>();
  const onDisk: TrackedFile[] = [];
  const allWritten: TrackedFile[] = [];
  const files = call.files.map((file) => {
    const ids = new Set(file.hunks.map(({ id }) => id));
    const written = call.written.find(({ hunks }) => hunks.some(({ id }) => ids.has(id)));
    const found = written === undefined ? undefined : findWritten(written, new Set(call.writing), currentText);
    for (const { id, decision } of file.hunks) {
      const unanswered = call.mode === "before" ? "waiting" : "unwritten";
      const unfound = decision === "pending" ? unanswered : decision;
      const fate = found?.fates.get(id) ?? unfound;
      fates.set(id, fate === "waiting" ? unanswered : fate);
    }
    if (found !== undefined) {
      const isWritten = (id: string) => !["waiting", "unwritten"].includes(fates.get(id) ?? "waiting");
      allWritten.push(...withHunksOnly(found.file, isWritten));
      onDisk.push(...withHunksOnly(found.file, (id) => fates.get(id) === "onDisk"));
    }
    return tracked(withFates(file, fates), currentText);
  });
  return { files, fates, onDisk, written: allWritten };
}

function withHunksOnly(file: TrackedFile, isMeant: (id: string) => boolean): TrackedFile[] {
  const rest = keepHunks(file, ({ id }) => !isMeant(id));
  return rest.hunks.length === 0 ? [] : [rest];
}

interface FoundFile {
  file: TrackedFile;
  fates: ReadonlyMap<string, HunkFate>;
}

function findWritten(written: TrackedFile, writing: ReadonlySet<string>, currentText: CurrentTexts): FoundFile {
  const whole = written.hunks.find(({ kind }) => kind !== "update");
  if (whole !== undefined) return findWhole(written, whole, { isWriting: writing.has(whole.id), currentText });
  const now = currentText(written.path);
  const fates = new Map<string, HunkFate>();
  const notThere = (id: string) => fates.set(id, writing.has(id) ? "waiting" : "gone");
  for (const { id } of written.hunks) notThere(id);
  if (now === undefined) return { file: written, fates };
  const isWriting = ({ id }: { id: string }) => writing.has(id);
  const before = undoHunks(written, isWriting).file;
  // A write is whole or was not begun: the text that is closer to what the file holds decides which.
  const isUnwritten = written.hunks.some(isWriting) && !isNearer(now, liveText(before), liveText(written));
  const known = isUnwritten ? before : written;
  const file = liveText(known) === now ? known : typeInto(known, now);
  const states = hunkStates(file);
  for (const { id } of file.hunks) {
    const state = states.get(id);
    if (state !== undefined && !state.isUndone) fates.set(id, state.isUndoable ? "onDisk" : "changed");
  }
  return { file, fates };
}

/** A file that was added, deleted or moved as a whole. */
function findWhole(
  written: TrackedFile,
  { id, kind, movedFrom = "" }: TrackedFile["hunks"][number],
  { isWriting, currentText }: { isWriting: boolean; currentText: CurrentTexts },
): FoundFile {
  const now = currentText(written.path);
  const isThere = now !== undefined;
  const isDone =
    kind === "delete" ? !isThere : kind === "move" ? isThere && currentText(movedFrom) === undefined : isThere;
  if (!isDone) return { file: written, fates: new Map([[id, isWriting ? "waiting" : "gone"]]) };
  const file = now === undefined || liveText(written) === now ? written : typeInto(written, now);
  const isUndoable = kind !== "add" || hunkStates(file).get(id)?.isUndoable === true;
  return { file, fates: new Map([[id, isUndoable ? "onDisk" : "changed"]]) };
}

function withFates(file: ProposedFile, fates: ReadonlyMap<string, HunkFate>): ProposedFile {
  const hunks = file.hunks.map((hunk) => {
    const fate = fates.get(hunk.id);
    if (fate === "rejected") return hunk;
    return {
      ...hunk,
      decision: fate === "waiting" || fate === "unwritten" ? ("pending" as const) : ("accepted" as const),
    };
  });
  return { ...file, hunks };
}

/** The hunks where they belong in what the file holds now. */
function tracked(file: ProposedFile, currentText: CurrentTexts): ProposedFile {
  // What comes to be there with a move is elsewhere as long as it is not moved.
  const now = currentText(file.path) ?? (file.follows === undefined ? undefined : currentText(file.follows));
  const lines = editorLines(now ?? "");
  const isImpossible = file.change === "add" ? now !== undefined : now === undefined;
  const current =
    file.change === "add" || file.movedTo !== undefined
      ? { ...file, lines: file.change === "add" ? file.lines : lines }
      : withText(file, lines, editsBetween(file.lines, lines));
  if (!isImpossible) return current;
  return {
    ...current,
    hunks: current.hunks.map((hunk) => ({ ...hunk, conflicted: hunk.decision === "pending" || hunk.conflicted })),
  };
}
