import type { TrackedFile, TrackedLine, WrittenHunk } from "../model/change.ts";

/** Is in `by` for lines that were there before an agent first wrote to the file: what has none was typed since. */
export const original = "original";

/** A line that was moved alone has to hold at least so many letters or digits, or it could be anybody's. */
const minWordCharacters = 3;

/**
 * The file after somebody typed, with the origin of lines that were moved: what was removed in one place and is typed
 * in another is the same line, whether both happened at once or one after the other, and however it is indented now.
 * `elsewhere` is what was removed from other files.
 */
export function withMovedLines<File extends TrackedFile>(
  before: File,
  after: File,
  elsewhere: readonly TrackedLine[] = [],
): File {
  const removed = [...after.lines.filter(isRemoved), ...elsewhere];
  if (removed.length === 0) return after;
  const typed = typedSince(before, after);
  if (typed.size === 0) return after;
  const starts = Map.groupBy(removed.keys(), (index) => removed[index]?.text.trim() ?? "");
  const lines = [...after.lines];
  for (let at = 0; at < lines.length; ) {
    const run = repeatedLines({ lines, typed, removed, starts }, at);
    // A line that means something begins a run of its own, if the lines before it are in none.
    if (run === undefined || !run.some(isDistinctive)) {
      at += run?.length ?? 1;
      continue;
    }
    for (const [offset, origin] of run.entries()) {
      const line = lines[at + offset];
      const from = ownerOf(origin);
      if (line !== undefined && from !== undefined) lines[at + offset] = { ...line, movedFrom: from };
    }
    at += run.length;
  }
  return { ...after, lines };
}

/**
 * The file after somebody typed, with lines that an agent had removed and that are back above or below what was typed
 * where they had been: where both were not seen at once, it is not known on which side of them that was typed.
 */
export function withReturnedLines<File extends TrackedFile>(before: File, after: File): File {
  const isGone = ({ isLive, goneBy }: TrackedLine) => !isLive && goneBy !== undefined;
  const texts = new Set(after.lines.filter(isGone).map(({ text }) => text));
  if (texts.size === 0) return after;
  const isOfUser = (line: TrackedLine) => isTyped(line) && line.goneBy === undefined;
  const isBetween = (line: TrackedLine | undefined) => line !== undefined && (!line.isLive || isOfUser(line));
  const lines = [...after.lines];
  for (const line of [...typedSince(before, after)].flatMap((index) => after.lines[index] ?? [])) {
    const at = isOfUser(line) && texts.has(line.text) ? lines.indexOf(line) : -1;
    if (at < 0) continue;
    let [start, end] = [at, at + 1];
    while (isBetween(lines[start - 1])) start--;
    while (isBetween(lines[end])) end++;
    const from = lines.findIndex(
      (other, index) => index >= start && index < end && isGone(other) && other.text === line.text,
    );
    const gone = lines[from];
    if (gone === undefined) continue;
    const { isTypedOver: _, ...known } = gone;
    lines[at] = { ...known, end: line.end, isLive: true };
    lines.splice(from, 1);
  }
  return { ...after, lines };
}

/** The hunk that a line in the text comes from; undefined for one that is the user's. */
function ownerOf({ by, movedFrom }: TrackedLine): string | undefined {
  return by === undefined ? movedFrom : by === original ? undefined : by;
}

/** The hunk that a line of the current text comes from, of this file or of another one; lines count from 0. */
export function hunkAt(
  file: Pick<TrackedFile, "lines" | "hunks">,
  line: number,
  others: readonly Pick<TrackedFile, "hunks">[] = [],
): WrittenHunk | undefined {
  let live = -1;
  const found = file.lines.find(({ isLive }) => {
    if (isLive) live += 1;
    return isLive && live === line;
  });
  const owner = found && ownerOf(found);
  if (owner === undefined) return undefined;
  for (const { hunks } of [file, ...others]) {
    const hunk = hunks.find(({ id }) => id === owner);
    if (hunk !== undefined) return hunk;
  }
  return undefined;
}

/** Gone, and not because an agent replaced it. */
export function isRemoved({ isLive, by, goneBy, movedFrom }: TrackedLine): boolean {
  return !isLive && goneBy === undefined && (by !== undefined || movedFrom !== undefined);
}

function isTyped({ isLive, by, movedFrom }: TrackedLine): boolean {
  return isLive && by === undefined && movedFrom === undefined;
}

/** Positions of lines that the user has typed and that were not among what was typed before. */
function typedSince(before: TrackedFile, after: TrackedFile): Set<number> {
  const known = new Map<string, number>();
  for (const line of before.lines) if (isTyped(line)) known.set(line.text, (known.get(line.text) ?? 0) + 1);
  const typed = new Set<number>();
  for (const [index, line] of after.lines.entries()) {
    if (!isTyped(line)) continue;
    const count = known.get(line.text) ?? 0;
    if (count > 0) known.set(line.text, count - 1);
    else typed.add(index);
  }
  return typed;
}

interface Search {
  lines: readonly TrackedLine[];
  typed: ReadonlySet<number>;
  removed: readonly TrackedLine[];
  /** By the text of a removed line: where it is among them. */
  starts: ReadonlyMap<string, readonly number[]>;
}

/** The removed lines that what is typed from there on repeats, as many as there are in order. */
function repeatedLines({ lines, typed, removed, starts }: Search, at: number): TrackedLine[] | undefined {
  if (!typed.has(at)) return undefined;
  const isRepeated = (start: number, offset: number) =>
    typed.has(at + offset) &&
    start + offset < removed.length &&
    lines[at + offset]?.text.trim() === removed[start + offset]?.text.trim();
  let found: { start: number; length: number } | undefined;
  for (const start of starts.get(lines[at]?.text.trim() ?? "") ?? []) {
    // Only a longer one is looked for: many lines may be the same, like empty ones.
    if (found !== undefined && !isRepeated(start, found.length)) continue;
    let length = 1;
    while (isRepeated(start, length)) length += 1;
    if (length > (found?.length ?? 0)) found = { start, length };
  }
  return found && removed.slice(found.start, found.start + found.length);
}

function isDistinctive({ text }: TrackedLine): boolean {
  return (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= minWordCharacters;
}
