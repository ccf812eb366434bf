import type { FileContent } from "../workspace/workspace.ts";
import type { ChangeStore } from "./changeStore.ts";
import type { TrackedFile, WrittenHunk } from "./model/change.ts";
import { replacementsBetween } from "./model/diffLines.ts";
import { type Undone, undoHunks } from "./model/undoHunks.ts";
import { currentText, type ReviewedWorkspace } from "./reviewedWorkspace.ts";

interface UndoContext {
  store: ChangeStore;
  workspace: ReviewedWorkspace;
  /** Resolves when it is stored what is about to be written. */
  intend?(file: UndoneFile): Promise<void>;
}

type TextContent = Extract<FileContent, { kind: "text" }>;

/** How often a write is tried again because the user typed meanwhile: a fast typist hits the same moment repeatedly. */
const maxAttempts = 50;

interface UndoneInFile {
  /** How many hunks that were meant could not be undone. */
  conflicts: number;
  /** Absent when none was. */
  file?: UndoneFile;
}

/** Undoes hunks of one file in one undo step. Those of the edits in `held` count as conflicts. */
export async function undoInFile(
  { store, workspace, intend }: UndoContext,
  path: string,
  isMeant: (hunk: WrittenHunk) => boolean,
  held: ReadonlySet<string> = new Set(),
): Promise<UndoneInFile> {
  for (let attempt = 1; ; attempt++) {
    const content = await currentText(workspace, path);
    const file = inStep(store, path, content);
    if (file === undefined) return { conflicts: 0 };
    const taken = await takenMoves(workspace, file, isMeant);
    // Somebody put another file in the place of the one that was deleted, or moved: what was written for the move stays.
    const isTaken = ({ kind, author }: WrittenHunk) =>
      (kind === "delete" && content !== undefined) || held.has(author.editId) || taken.has(author.editId);
    const result = undoHunks(file, (hunk) => isMeant(hunk) && !isTaken(hunk));
    const conflicts = result.conflicts.length + file.hunks.filter((hunk) => isMeant(hunk) && isTaken(hunk)).length;
    if (result.undone.length === 0) return { conflicts };
    try {
      const known = { before: file, undone: result.undone, ...(content && { textBefore: content.text }) };
      const after = planned(path, content !== undefined, result);
      await intend?.({ ...known, ...after });
      // Alone of all writes, a removal compares no versions: what was typed while that was stored would go with the file.
      if (after.textAfter === undefined && (await hasChanged(workspace, path, content)) && attempt < maxAttempts)
        continue;
      await writeUndone(workspace, path, content, result);
      return { conflicts, file: { ...known, ...(await settle({ store, workspace }, after.pathAfter, result)) } };
    } catch (error) {
      if (!(await hasChanged(workspace, path, content)) || attempt === maxAttempts) throw error;
    }
  }
}

async function hasChanged(
  workspace: ReviewedWorkspace,
  path: string,
  content: TextContent | undefined,
): Promise<boolean> {
  return (await currentText(workspace, path))?.version !== content?.version;
}

/** Undefined when the file is gone and no deletion is pending: then nothing of it is. */
function inStep(store: ChangeStore, path: string, content: TextContent | undefined): TrackedFile | undefined {
  store.setWrittenText(path, content?.text ?? "");
  const file = store.find(path);
  if (file === undefined || content !== undefined || file.hunks.some(({ kind }) => kind === "delete")) return file;
  store.put({ ...file, hunks: [] });
  return undefined;
}

async function writeUndone(
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

/** Where the file will be, and its text. */
function planned(
  path: string,
  isThere: boolean,
  { text, undone }: Undone,
): Pick<UndoneFile, "pathAfter" | "textAfter"> {
  const isRemoved = undone.some(({ kind }) => kind === "add") && (!isThere || text === "");
  if (isRemoved) return { pathAfter: path };
  // They are undone the latest first.
  const first = undone.findLast(({ kind }) => kind === "move");
  return { pathAfter: first?.movedFrom ?? path, textAfter: text };
}

/** The edits of moves that can't be undone, since another file is where the moved one would go back to. */
async function takenMoves(
  workspace: ReviewedWorkspace,
  { path, hunks }: TrackedFile,
  isMeant: (hunk: WrittenHunk) => boolean,
): Promise<ReadonlySet<string>> {
  const taken = new Set<string>();
  // A file that an agent made is removed.
  if (hunks.some((hunk) => hunk.kind === "add" && isMeant(hunk))) return taken;
  for (const hunk of hunks) {
    const { movedFrom, author } = hunk;
    if (movedFrom === undefined || !isMeant(hunk)) continue;
    // Of several moves the first one says where it goes.
    if (movedFrom === path || (await workspace.stat(movedFrom)) === undefined) break;
    taken.add(author.editId);
  }
  return taken;
}

async function settle({ store, workspace }: UndoContext, pathAfter: string, { file }: Undone) {
  if (pathAfter !== file.path) {
    await workspace.move(file.path, pathAfter);
    store.put({ ...file, hunks: [] });
  }
  store.put({ ...file, path: pathAfter });
  const now = await currentText(workspace, pathAfter);
  if (now !== undefined) store.setWrittenText(pathAfter, now.text);
  return { pathAfter, ...(now === undefined ? {} : { textAfter: now.text }) };
}

/**
 * The files in rounds, each of which is undone side by side: what is in the old place of a moved file goes before it, and
 * the imports that were written for a move come after it.
 */
export function undoRounds(
  files: readonly TrackedFile[],
  isMeant: (hunk: WrittenHunk) => boolean,
): readonly (readonly TrackedFile[])[] {
  const moves = new Map<TrackedFile, { places: Set<string | undefined>; edits: Set<string> }>();
  for (const file of files) {
    const own = file.hunks.filter((hunk) => hunk.kind === "move" && isMeant(hunk));
    if (own.length === 0) continue;
    const places = new Set(own.map(({ movedFrom }) => movedFrom));
    moves.set(file, { places, edits: new Set(own.map(({ author }) => author.editId)) });
  }
  if (moves.size === 0) return [files];
  const isInPlaceOf = (file: TrackedFile, other: TrackedFile) => moves.get(other)?.places.has(file.path) === true;
  const follows = (file: TrackedFile, other: TrackedFile) =>
    !moves.has(file) && file.hunks.some((hunk) => isMeant(hunk) && moves.get(other)?.edits.has(hunk.author.editId));
  const waitsFor = (file: TrackedFile, other: TrackedFile) =>
    isInPlaceOf(other, file) || (!isInPlaceOf(file, other) && follows(file, other));
  const rounds: (readonly TrackedFile[])[] = [];
  for (let rest = files; rest.length > 0; ) {
    const ready = rest.filter((file) => !rest.some((other) => other !== file && waitsFor(file, other)));
    const round = ready.length > 0 ? ready : rest;
    rounds.push(round);
    rest = rest.filter((file) => !round.includes(file));
  }
  return rounds;
}

/** What one undo did to one file. */
export interface UndoneFile {
  /** With the hunks that were undone; its text is absent when there was no file. */
  before: TrackedFile;
  textBefore?: string;
  /** Where the file is since, and its text there; absent when there is none. */
  pathAfter: string;
  textAfter?: string;
  undone: readonly WrittenHunk[];
}
