import type { TrackedFile, TrackedLine, WrittenHunk } from "./change.ts";
import { hunkStates } from "./hunkStates.ts";
import { ended, isRemembered, liveText } from "./trackedLines.ts";

export interface Undone {
  text: string;
  /** Without the hunks that were undone. */
  file: TrackedFile;
  undone: readonly WrittenHunk[];
  /** Hunks that were meant but can't be undone: their lines have changed, or others built on them. */
  conflicts: readonly WrittenHunk[];
}

/** Undoes hunks, latest first: what was built on them is undone before them if it is meant too. */
export function undoHunks(current: TrackedFile, isMeant: (hunk: WrittenHunk) => boolean): Undone {
  let file = current;
  const undone: WrittenHunk[] = [];
  const conflicts: WrittenHunk[] = [];
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
  return { text: liveText(result), file: result, undone, conflicts };
}

/** Whether it can be undone, with everything that is pending around it. */
export function canUndo(file: TrackedFile, { id }: WrittenHunk): boolean {
  return hunkStates(file).get(id)?.isUndoable ?? false;
}

function withoutHunk(file: TrackedFile, { id }: WrittenHunk): TrackedFile {
  const lines = file.lines.flatMap((line): TrackedLine[] => {
    if (line.by === id) return [];
    if (line.goneBy !== id) return [line];
    const { goneBy: _, isTypedOver, ...rest } = line;
    // The user brought it back, and it is there as they changed it since.
    return [{ ...rest, isLive: isTypedOver !== true }].filter(isRemembered);
  });
  return { ...file, lines, hunks: file.hunks.filter((hunk) => hunk.id !== id) };
}

/** The file with the text that it has when these hunks are undone, or written again; they are pending all the same. */
export function switched(file: TrackedFile, ids: ReadonlySet<string>, to: "undone" | "written"): TrackedFile {
  const lines = file.lines.map((line): TrackedLine => {
    const { by, goneBy, isTypedOver } = line;
    if (goneBy !== undefined && ids.has(goneBy)) {
      const isLive = to === "undone" && isTypedOver !== true;
      return line.isLive === isLive ? line : { ...line, isLive };
    }
    return by !== undefined && ids.has(by) ? { ...line, isLive: to === "written" } : line;
  });
  return { ...file, lines: ended(lines) };
}

/** The file as it would be without any pending hunk: what the user typed is in it, so that it counts as the user's. */
export function baselineOf(file: TrackedFile): string {
  return undoHunks(file, () => true).text;
}

/** The file without hunks that are kept. A hunk none of whose lines is left is kept with those that replaced it. */
export function keepHunks(file: TrackedFile, isMeant: (hunk: WrittenHunk) => boolean): TrackedFile {
  let result = file;
  for (const hunk of file.hunks.toReversed()) {
    if (isMeant(hunk) || isReplaced(result, hunk)) result = withKept(result, hunk);
  }
  return result;
}

/** Wrote lines of which none is left, not even one that could come back. */
function isReplaced({ lines }: TrackedFile, { id, hunk }: WrittenHunk): boolean {
  return hunk.newLines.length > 0 && lines.every(({ by }) => by !== id);
}

function withKept(file: TrackedFile, { id }: WrittenHunk): TrackedFile {
  const lines = file.lines.map(({ by, goneBy, ...line }): TrackedLine => {
    const isGone = goneBy === id && !line.isLive;
    const owner = by === id || isGone ? {} : by === undefined ? {} : { by };
    return { ...line, ...owner, ...(goneBy === undefined || goneBy === id ? {} : { goneBy }) };
  });
  const hunks = file.hunks.filter((hunk) => hunk.id !== id);
  return { ...file, lines: lines.filter(isRemembered), hunks };
}

/** Hunks that are not in the text any more, after something else than typing changed it: they can't be undone. */
export function unanswerable(file: TrackedFile): WrittenHunk[] {
  const states = hunkStates(file);
  return file.hunks.filter(({ id }) => !states.get(id)?.isUndoable || states.get(id)?.isUndone);
}

/**
 * One hunk where an agent wrote over its own: a person decides about what became of the lines, not about every try on
 * the way. `editId` is the write that may have done so.
 */
export function coalesced(file: TrackedFile, editId: string): TrackedFile {
  const fresh = file.hunks.filter(({ author, kind }) => author.editId === editId && kind === "update");
  return fresh.reduce((current, later) => {
    const [earlier, ...others] = current.hunks.filter((hunk) => isOwnBelow(current.lines, hunk, later));
    if (earlier === undefined || others.length > 0 || isEntangled(current.lines, earlier, later)) return current;
    return withBoth(current, earlier, later);
  }, file);
}

/** Somebody else's hunk is among both: it may build on the one and lie under the other. */
function isEntangled(lines: readonly TrackedLine[], earlier: WrittenHunk, later: WrittenHunk): boolean {
  const isTheirs = (id: string | undefined) => id === earlier.id || id === later.id;
  const touches = ({ by, goneBy }: TrackedLine) => isTheirs(by) || isTheirs(goneBy);
  const among = lines.slice(lines.findIndex(touches), lines.findLastIndex(touches) + 1);
  return among.some(({ by, goneBy }) => [by, goneBy].some((id) => id !== undefined && !isTheirs(id)));
}

/** An earlier hunk of the same agent that this one replaced lines of, or put lines into. */
function isOwnBelow(lines: readonly TrackedLine[], earlier: WrittenHunk, later: WrittenHunk): boolean {
  const isSame = earlier.author.agentIds.at(-1) === later.author.agentIds.at(-1);
  if (!isSame || earlier.author.editId === later.author.editId || earlier.kind === "delete") return false;
  const first = lines.findIndex(({ by }) => by === earlier.id);
  const last = lines.findLastIndex(({ by }) => by === earlier.id);
  return lines.some(
    ({ by, goneBy }, index) =>
      (by === earlier.id && goneBy === later.id) || (by === later.id && index > first && index < last),
  );
}

/** The earlier hunk does at once what both did. */
function withBoth(file: TrackedFile, earlier: WrittenHunk, later: WrittenHunk): TrackedFile {
  const lines = file.lines
    .filter(({ by, goneBy }) => !(by === earlier.id && goneBy === later.id))
    .map((line) => ({
      ...line,
      ...(line.by === later.id ? { by: earlier.id } : {}),
      ...(line.goneBy === later.id ? { goneBy: earlier.id } : {}),
    }));
  const old = lines.filter(({ goneBy }) => goneBy === earlier.id);
  const now = lines.filter(({ by }) => by === earlier.id);
  const merged = [...(earlier.merged ?? []), later.id, ...(later.merged ?? [])];
  const hunk = {
    ...earlier.hunk,
    oldLines: old.map(({ text }) => text),
    oldText: old.map(({ text, end }) => text + end).join(""),
    newLines: now.map(({ text }) => text),
    newText: now.map(({ text, end }) => text + end).join(""),
  };
  const rest = file.hunks.filter(({ id }) => id !== later.id);
  if (hunk.oldText === hunk.newText && earlier.kind === "update") {
    return { ...file, lines: withoutBoth(lines, earlier.id), hunks: rest.filter(({ id }) => id !== earlier.id) };
  }
  return { ...file, lines, hunks: rest.map((each) => (each.id === earlier.id ? { ...earlier, hunk, merged } : each)) };
}

/** The agent put back what it had removed. */
function withoutBoth(lines: readonly TrackedLine[], id: string): TrackedLine[] {
  return lines
    .filter(({ by }) => by !== id)
    .map(({ goneBy, ...line }): TrackedLine => {
      if (goneBy === id) return { ...line, isLive: true };
      return { ...line, ...(goneBy === undefined ? {} : { goneBy }) };
    })
    .filter(isRemembered);
}

/**
 * One file's pending hunks together with others of the same file; both have the same text. Hunks whose lines are
 * somebody's pending hunk already are left out.
 */
export function withOthers(known: TrackedFile, added: TrackedFile, isHunk = isOwner): TrackedFile {
  const owners = known.lines.filter(({ isLive }) => isLive).map(({ by }) => (isHunk(by) ? by : undefined));
  const live = added.lines.filter(({ isLive }) => isLive);
  const isOwned = ({ id, author }: WrittenHunk) =>
    known.hunks.some((hunk) => hunk.id === id || hunk.author.editId === author.editId) ||
    live.some(({ by }, at) => by === id && owners[at] !== undefined);
  const fresh = added.hunks.filter((hunk) => !isOwned(hunk));
  const ids = new Set(fresh.map(({ id }) => id));
  return { ...known, lines: zipped(known.lines, added.lines, ids), hunks: [...known.hunks, ...fresh] };
}

const isOwner = (by: string | undefined): boolean => by !== undefined;

function zipped(known: readonly TrackedLine[], added: readonly TrackedLine[], ids: ReadonlySet<string>): TrackedLine[] {
  const result: TrackedLine[] = [];
  let at = 0;
  const isOf = (id: string | undefined) => id !== undefined && ids.has(id);
  for (const line of added) {
    if (!line.isLive) {
      if (isOf(line.by) || isOf(line.goneBy)) result.push(line);
      continue;
    }
    for (let other = known[at]; other !== undefined && !other.isLive; other = known[++at]) result.push(other);
    const other = known[at++];
    if (other === undefined) continue;
    result.push({ ...other, ...(isOf(line.by) && { by: line.by }), ...(isOf(line.goneBy) && { goneBy: line.goneBy }) });
  }
  return [...result, ...known.slice(at)];
}
