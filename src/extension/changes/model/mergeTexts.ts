import type { Extent } from "./lineEdit.ts";
import { lineEndOf, lineEndsIn, lineOf, splitPieces } from "./pieces.ts";
import { addedLines, type Difference, diffSequences } from "./sequenceDiff.ts";

/** Lines of `mine` that the merged text does not have, and the lines of `theirs` that it has instead. Lines from 0. */
interface MergeConflict {
  /** What `mine` changed there; empty where it only removed lines. */
  mine: Extent;
  theirs: Extent;
}

interface MergedTexts {
  /** With the changes of both; where they exclude each other, with those of `theirs`. */
  text: string;
  conflicts: MergeConflict[];
  /** `theirs` without the changes that `mine` has too: lines of the base are as they were there. */
  onlyTheirs: string;
  /** For each line of `text` the line of `mine` that it is, from 0; undefined for one that came from `theirs` alone. */
  origins: (number | undefined)[];
}

/**
 * Merges what became of one text at two places. Changes of different lines are both made, also of lines next to each
 * other, or next to lines that both changed alike; changes of the same lines conflict, and so do different lines put at
 * the same place. Line ends count as part
 * of a line and are kept byte for byte, with two exceptions: where one side converted all line ends, the lines of the
 * other side follow; and a last line without one gets one when another follows it.
 */
export function mergeTexts(base: string, mine: string, theirs: string): MergedTexts {
  const end = convertedLineEnd(base, mine, theirs);
  const piecesOf = (text: string) => splitPieces(end === undefined ? text : withLineEnd(text, end));
  return mergePieces(piecesOf(base), piecesOf(mine), piecesOf(theirs));
}

/** The line end of a side that has only this one, where the base has others: an editor gives a text one kind when it saves. */
function convertedLineEnd(base: string, mine: string, theirs: string): string | undefined {
  const ofBase = lineEndsIn(base);
  const converted = [theirs, mine].map(lineEndsIn).find(([end, ...others]) => {
    const isOnly = end !== undefined && others.length === 0;
    return isOnly && ofBase.some((other) => other !== end);
  });
  return converted?.[0];
}

function withLineEnd(text: string, end: string): string {
  return text.replace(/\r\n|\r|\n/g, end);
}

function mergePieces(base: readonly string[], mine: readonly string[], theirs: readonly string[]): MergedTexts {
  const merged: { piece: string; origin: number | undefined }[] = [];
  const conflicts: MergeConflict[] = [];
  let onlyTheirs = "";
  const keep = (pieces: readonly string[], { start, end }: Extent) => {
    onlyTheirs += pieces.slice(start, end).join("");
  };
  const usual = mine.map(lineEndOf).find((lineEnd) => lineEnd !== "") ?? "\n";
  const add = (piece: string, origin: number | undefined) => {
    const last = merged.at(-1);
    if (last !== undefined) last.piece = separated(last.piece, piece, usual);
    merged.push({ piece, origin });
  };
  const addMine = ({ start, end }: Extent) => {
    for (let index = start; index < end; index++) add(mine[index] ?? "", index);
  };
  const addTheirs = ({ start, end }: Extent) => {
    for (let index = start; index < end; index++) add(theirs[index] ?? "", undefined);
  };
  let [done, doneTheirs] = [0, 0];
  for (const group of groups(diffSequences(base, mine), diffSequences(base, theirs))) {
    // What neither changed is the same everywhere.
    addMine({ start: done, end: group.mine.start });
    done = group.mine.end;
    keep(theirs, { start: doneTheirs, end: group.theirs.start });
    doneTheirs = group.theirs.end;
    const isSame = sameSlices(mine, group.mine, theirs, group.theirs);
    if (isSame || group.theirChanges.length === 0) {
      addMine(group.mine);
      keep(base, group.base);
      continue;
    }
    const { before, after } = changedAlike(mine, theirs, group);
    const inner = ({ start, end }: Extent): Extent => ({ start: start + before, end: end - after });
    const [inBase, inMine, inTheirs] = [inner(group.base), inner(group.mine), inner(group.theirs)];
    const isInside = inBase.start < inBase.end;
    if (isInside && sameSlices(base, inBase, theirs, inTheirs)) {
      addMine(group.mine);
      keep(base, group.base);
    } else if (isInside && sameSlices(base, inBase, mine, inMine)) {
      addMine({ start: group.mine.start, end: inMine.start });
      addTheirs(inTheirs);
      addMine({ start: inMine.end, end: group.mine.end });
      keep(base, { start: group.base.start, end: inBase.start });
      keep(theirs, inTheirs);
      keep(base, { start: inBase.end, end: group.base.end });
    } else {
      addTheirs(group.theirs);
      keep(theirs, group.theirs);
      for (const { bStart, bEnd } of group.myChanges) {
        conflicts.push({ mine: { start: bStart, end: bEnd }, theirs: group.theirs });
      }
    }
  }
  addMine({ start: done, end: mine.length });
  keep(theirs, { start: doneTheirs, end: theirs.length });
  return {
    text: merged.map(({ piece }) => piece).join(""),
    conflicts,
    onlyTheirs,
    origins: merged.map(({ origin }) => origin),
  };
}

/** The piece with a line end that keeps the next one a line of its own. */
function separated(piece: string, next: string, usual: string): string {
  const lineEnd = lineEndOf(piece) || usual;
  return lineOf(piece) + (lineEnd === "\r" && next.startsWith("\n") ? "\r\n" : lineEnd);
}

/** How many lines at the start and at the end of a group both made the same of: a formatter changes a line here as there. */
function changedAlike(mine: readonly string[], theirs: readonly string[], group: Group) {
  const max = Math.min(...[group.base, group.mine, group.theirs].map(({ start, end }) => end - start));
  let [before, after] = [0, 0];
  while (before < max && mine[group.mine.start + before] === theirs[group.theirs.start + before]) before++;
  while (before + after < max && mine[group.mine.end - 1 - after] === theirs[group.theirs.end - 1 - after]) after++;
  return { before, after };
}

interface Group {
  base: Extent;
  /** Lines of the two texts that come from these lines of the base. */
  mine: Extent;
  theirs: Extent;
  myChanges: readonly Difference[];
  theirChanges: readonly Difference[];
}

/** Changes that touch the same lines of the base belong together; the others are groups of their own. */
function groups(mine: readonly Difference[], theirs: readonly Difference[]): Group[] {
  const result: Group[] = [];
  let [m, t] = [0, 0];
  let [myShift, theirShift] = [0, 0];
  while (m < mine.length || t < theirs.length) {
    const [firstMine, firstTheirs] = [m, t];
    const [nextMine, nextTheirs] = [mine[m], theirs[t]];
    const isMineFirst = nextMine !== undefined && (nextTheirs === undefined || isBefore(nextMine, nextTheirs));
    const first = isMineFirst ? nextMine : nextTheirs;
    if (first === undefined) break;
    if (isMineFirst) m++;
    else t++;
    let range: Extent = { start: first.aStart, end: first.aEnd };
    for (let isWider = true; isWider; ) {
      isWider = false;
      for (const [list, index] of [[mine, m] as const, [theirs, t] as const]) {
        const next = list[index];
        if (next === undefined || !touches(range, next)) continue;
        range = { start: Math.min(range.start, next.aStart), end: Math.max(range.end, next.aEnd) };
        if (list === mine) m++;
        else t++;
        isWider = true;
        break;
      }
    }
    const myChanges = mine.slice(firstMine, m);
    const theirChanges = theirs.slice(firstTheirs, t);
    const [myAdded, theirAdded] = [addedLines(myChanges), addedLines(theirChanges)];
    result.push({
      base: range,
      mine: { start: range.start + myShift, end: range.end + myShift + myAdded },
      theirs: { start: range.start + theirShift, end: range.end + theirShift + theirAdded },
      myChanges,
      theirChanges,
    });
    myShift += myAdded;
    theirShift += theirAdded;
  }
  return result;
}

/** Of changes at the same place, one that only adds comes first: what it adds comes before that line. */
function isBefore(one: Difference, other: Difference): boolean {
  return one.aStart === other.aStart ? one.aEnd <= other.aEnd : one.aStart < other.aStart;
}

/** Neighbours do not touch, except that two which both only add at one place leave their order open. */
function touches(range: Extent, next: Difference): boolean {
  if (range.start === range.end && next.aStart === next.aEnd) return range.start === next.aStart;
  return next.aStart < range.end && range.start < next.aEnd;
}

function sameSlices(one: readonly string[], a: Extent, other: readonly string[], b: Extent): boolean {
  const length = a.end - a.start;
  if (length !== b.end - b.start) return false;
  for (let index = 0; index < length; index++) if (one[a.start + index] !== other[b.start + index]) return false;
  return true;
}
