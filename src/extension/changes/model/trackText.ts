import type { TrackedLine, WrittenFile, WrittenHunk } from "./change.ts";
import { type Extent, fittingEdits, type LineEdit } from "./lineEdit.ts";
import { editorLines, lineEndOf, lineEndsIn, splitPieces } from "./pieces.ts";
import { diffSequences } from "./sequenceDiff.ts";
import { isRemembered, lineFrom, spanOf, textOf } from "./trackedLines.ts";

/**
 * The file after the user, or another program, made its text this one: by the reported edits, or when they do not lead
 * there, by whatever ones do. Lines that were gone and come back in their place are the same lines again.
 */
export function typeInto(file: WrittenFile, text: string, reported: readonly LineEdit[] = []): WrittenFile {
  const before = editorLines(textOf(file));
  let current = before;
  let { lines } = file;
  const typed = new Set<TrackedLine>();
  for (const edit of fittingEdits(before, reported, editorLines(text))) {
    const first = current[edit.startLine]?.slice(0, edit.startCharacter) ?? "";
    const last = current[edit.endLine]?.slice(edit.endCharacter) ?? "";
    const put = edit.lines.with(0, first + (edit.lines[0] ?? ""));
    const whole = put.with(-1, (put.at(-1) ?? "") + last);
    const extent = { start: edit.startLine, end: Math.min(edit.endLine + 1, current.length) };
    // An edit of whole lines up to the end of the text puts nothing in place of what follows it.
    const fresh = edit.endLine >= current.length ? whole.slice(0, -1) : whole;
    // What follows the last line end is no line yet.
    const endsOpen = extent.end === current.length && fresh.at(-1) === "";
    lines = replaced(lines, extent, endsOpen ? fresh.slice(0, -1) : fresh, typed);
    current = current.toSpliced(extent.start, extent.end - extent.start, ...fresh);
  }
  return { ...file, lines: withLineEndsOf(text, file.lines, recognised(lines, file.hunks, typed)) };
}

/** What stands in an extent of the text becomes `fresh`; lines that were not there before are added to `typed`. */
function replaced(
  lines: readonly TrackedLine[],
  extent: Extent,
  fresh: readonly string[],
  typed: Set<TrackedLine>,
): readonly TrackedLine[] {
  const span = spanOf(lines, extent);
  const old = lines.slice(span.start, span.end);
  const result: TrackedLine[] = [];
  let done = 0;
  for (const { aStart, aEnd, bStart, bEnd } of matched(old, fresh)) {
    const changed = old.slice(aStart, aEnd);
    // A changed line stays in its place: what was gone below it is below it still.
    const lastLive = changed.findLastIndex(({ isLive }) => isLive);
    const above = lastLive < 0 ? changed.length : lastLive + 1;
    result.push(...old.slice(done, aStart).map(live), ...changed.slice(0, above).map(gone));
    for (const text of fresh.slice(bStart, bEnd)) {
      const line = lineFrom(`${text}\n`);
      typed.add(line);
      result.push(line);
    }
    result.push(...changed.slice(above));
    done = aEnd;
  }
  result.push(...old.slice(done).map(live));
  return [...lines.slice(0, span.start), ...result.filter(isRemembered), ...lines.slice(span.end)];
}

const live = (line: TrackedLine): TrackedLine => (line.isLive ? line : { ...line, isLive: true });
const gone = (line: TrackedLine): TrackedLine => ({ ...line, isLive: false });

/** Lines that stand there already match first: only what is left over can bring gone ones back. */
function matched(old: readonly TrackedLine[], fresh: readonly string[]) {
  const live = old.filter(({ isLive }) => isLive);
  const isKept = diffSequences(
    live.map(({ text }) => text),
    fresh,
  ).every(({ aStart, aEnd }) => aStart === aEnd);
  // What is gone must not match while nothing was taken away: a blank line typed is not the blank line removed.
  const key = ({ isLive, text }: TrackedLine, index: number) => (isKept && !isLive ? `\n${index}` : text);
  return diffSequences(old.map(key), fresh);
}

/** The live lines with the line ends they have in the text; when an editor converted all of them, the others too. */
function withLineEndsOf(text: string, before: readonly TrackedLine[], lines: readonly TrackedLine[]): TrackedLine[] {
  const pieces = splitPieces(text);
  const from = onlyOne(lineEndsIn(textOf({ lines: before })));
  const to = onlyOne(lineEndsIn(text));
  let index = 0;
  return lines.map((line) => {
    if (line.isLive) return { ...line, end: lineEndOf(pieces[index++] ?? "") };
    return to !== undefined && line.end === from ? { ...line, end: to } : line;
  });
}

function onlyOne([first, ...others]: readonly string[]): string | undefined {
  return others.length === 0 ? first : undefined;
}

/**
 * Lines that the user typed in place of a hunk's, and that are the ones it had removed, are those lines again: an undo
 * in the editor arrives as many small edits, each of which says too little.
 */
function recognised(
  lines: readonly TrackedLine[],
  hunks: readonly WrittenHunk[],
  typed: ReadonlySet<TrackedLine>,
): readonly TrackedLine[] {
  if (typed.size === 0) return lines;
  const standing = new Set(lines.flatMap(({ by, isLive }) => (isLive && by !== undefined ? [by] : [])));
  return hunks
    .filter(({ id }) => !standing.has(id))
    .reduce<readonly TrackedLine[]>((current, hunk) => broughtBack(current, hunk, typed) ?? current, lines);
}

function broughtBack(
  lines: readonly TrackedLine[],
  { id, hunk }: WrittenHunk,
  typed: ReadonlySet<TrackedLine>,
): TrackedLine[] | undefined {
  const isOwn = ({ by, goneBy }: TrackedLine) => by === id || goneBy === id;
  const first = lines.findIndex(isOwn);
  const last = lines.findLastIndex(isOwn);
  const own = lines.slice(first, last + 1).filter(isOwn);
  if (own.some(({ by, isLive }) => by === id && isLive) || own.every(({ isLive, by }) => isLive || by === id)) {
    return undefined;
  }
  const place = linesAround(lines, { first, last, length: hunk.oldLines.length });
  const live = place.filter(({ isLive }) => isLive);
  const isSame = live.length === hunk.oldLines.length && live.every(({ text }, at) => text === hunk.oldLines[at]);
  if (!isSame || !live.every((line) => typed.has(line) || line.goneBy === id)) return undefined;
  const back = place.filter((line) => !line.isLive || isOwn(line)).map((line) => lineBack(line, id));
  return [...lines.slice(0, first), ...back, ...lines.slice(first + place.length)];
}

interface Around {
  first: number;
  last: number;
  length: number;
}

/** From the hunk's first line on as far as there are live lines enough, and at least up to its last. */
function linesAround(lines: readonly TrackedLine[], { first, last, length }: Around): TrackedLine[] {
  const place: TrackedLine[] = [];
  let live = 0;
  for (let index = first; index < lines.length && (index <= last || live < length); index++) {
    const line = lines[index];
    if (line === undefined) break;
    place.push(line);
    if (line.isLive) live += 1;
  }
  return place;
}

function lineBack(line: TrackedLine, id: string): TrackedLine {
  return line.goneBy === id ? { ...line, isLive: true } : line;
}
