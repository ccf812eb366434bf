import type { TrackedFile, TrackedLine, WrittenHunk } from "./change.ts";
import { type Extent, fittingEdits, type LineEdit } from "./lineEdit.ts";
import { editorLines, lineEndOf, lineEndsIn, splitPieces } from "./pieces.ts";
import { diffSequences } from "./sequenceDiff.ts";
import { isRemembered, lineFrom, liveText, spanOf } from "./trackedLines.ts";

/**
 * The file after the user, or another program, made its text this one: by the reported edits, or when they do not lead
 * there, by whatever ones do. Lines that were gone and come back in their place are the same lines again; by an undo or a
 * redo of the editor's (`isHistory`) also where nothing else changes.
 */
export function typeInto(
  file: TrackedFile,
  text: string,
  reported: readonly LineEdit[] = [],
  isHistory = false,
): TrackedFile {
  const before = editorLines(liveText(file));
  let current = before;
  let { lines } = file;
  const typed = new Set<TrackedLine>();
  for (const fitting of fittingEdits(before, reported, editorLines(text))) {
    const edit = fitting.startLine < current.length ? fitting : appended(fitting, current);
    const first = current[edit.startLine]?.slice(0, edit.startCharacter) ?? "";
    const last = current[edit.endLine]?.slice(edit.endCharacter) ?? "";
    const put = edit.lines.with(0, first + (edit.lines[0] ?? ""));
    const whole = put.with(-1, (put.at(-1) ?? "") + last);
    const extent = { start: edit.startLine, end: Math.min(edit.endLine + 1, current.length) };
    // An edit of whole lines up to the end of the text puts nothing in place of what follows it.
    const fresh = edit.endLine >= current.length ? whole.slice(0, -1) : whole;
    // What follows the last line end is no line yet.
    const endsOpen = extent.end === current.length && fresh.at(-1) === "";
    lines = replaced(lines, extent, endsOpen ? fresh.slice(0, -1) : fresh, { typed, isHistory });
    current = [...current.slice(0, extent.start), ...fresh, ...current.slice(extent.end)];
  }
  const known = asWritten(recognised(lines, file.hunks, typed));
  return { ...file, lines: withLineEndsOf(text, file.lines, known) };
}

/** Where a hunk's own lines are there again, by a redo in the editor, those that it removed are gone by the hunk. */
function asWritten(lines: readonly TrackedLine[]): readonly TrackedLine[] {
  if (!lines.some(({ isTypedOver }) => isTypedOver)) return lines;
  const written = new Set(lines.flatMap(({ by, isLive }) => (isLive ? (by ?? []) : [])));
  return lines.map((line) => {
    if (line.goneBy === undefined || !written.has(line.goneBy)) return line;
    const { isTypedOver: _, ...known } = line;
    return known;
  });
}

/** Lines that come after all lines, as text that comes after the end of the last one: what was no line becomes one by that. */
function appended({ lines }: LineEdit, current: readonly string[]): LineEdit {
  const [line, character] = [current.length - 1, current.at(-1)?.length ?? 0];
  const end = { startLine: line, startCharacter: character, endLine: line, endCharacter: character };
  return { ...end, lines: ["", ...lines.slice(0, -1)] };
}

/** What is in an extent of the text becomes `fresh`; lines that were not there before are added to `typed`. */
function replaced(
  lines: readonly TrackedLine[],
  extent: Extent,
  fresh: readonly string[],
  { typed, isHistory }: { typed: Set<TrackedLine>; isHistory: boolean },
): readonly TrackedLine[] {
  const span = spanOf(lines, extent);
  const old = lines.slice(span.start, span.end);
  const result: TrackedLine[] = [];
  // Not by one call: it takes only so many arguments.
  const add = (more: readonly TrackedLine[]) => {
    for (const line of more) result.push(line);
  };
  let done = 0;
  const differing = matched(old, fresh, isHistory);
  const isAnyBack = isAnyGoneKept(old, differing);
  for (const { aStart, aEnd, bStart, bEnd } of differing) {
    const changed = old.slice(aStart, aEnd);
    // A changed line stays in its place: what was gone below it is below it still.
    const lastLive = changed.findLastIndex(({ isLive }) => isLive);
    const above = lastLive < 0 ? changed.length : lastLive + 1;
    // By what is typed, or by a line that was there before it.
    const isReplaced = bEnd > bStart || isAnyBack;
    const isTypedGone = !isHistory && changed.some(({ isLive, by }) => isLive && by === undefined);
    const goes = (line: TrackedLine) => gone(line, { isReplaced, isTypedGone });
    add(old.slice(done, aStart).map(live));
    add(changed.slice(0, above).map(goes));
    for (const text of fresh.slice(bStart, bEnd)) {
      const line = lineFrom(`${text}\n`);
      typed.add(line);
      result.push(line);
    }
    add(changed.slice(above));
    done = aEnd;
  }
  add(old.slice(done).map(live));
  return [...lines.slice(0, span.start), ...result.filter(isRemembered), ...lines.slice(span.end)];
}

/** Whether a line that is gone is among those that do not differ. */
function isAnyGoneKept(old: readonly TrackedLine[], differing: readonly { aStart: number; aEnd: number }[]): boolean {
  let at = 0;
  return [...differing, { aStart: old.length, aEnd: old.length }].some(({ aStart, aEnd }) => {
    const kept = old.slice(at, aStart);
    at = aEnd;
    return kept.some(({ isLive }) => !isLive);
  });
}

function live(line: TrackedLine): TrackedLine {
  if (line.isLive) return line;
  const { isTypedOver: _, ...known } = line;
  return { ...known, isLive: true };
}

/** What was typed over a line lies behind it: where that goes too, and nothing takes its place, the line is just gone. */
function gone(
  line: TrackedLine,
  { isReplaced, isTypedGone }: { isReplaced: boolean; isTypedGone: boolean },
): TrackedLine {
  const { isTypedOver: wasTypedOver = false, ...known } = line;
  const isTypedOver = line.isLive
    ? line.goneBy !== undefined && isReplaced
    : wasTypedOver && (isReplaced || !isTypedGone);
  return { ...known, isLive: false, ...(isTypedOver && { isTypedOver }) };
}

/** Lines that are there already match first: only what is left over can bring removed ones back. */
function matched(old: readonly TrackedLine[], fresh: readonly string[], isHistory: boolean) {
  const live = old.filter(({ isLive }) => isLive);
  const isKept = diffSequences(
    live.map(({ text }) => text),
    fresh,
  ).every(({ aStart, aEnd }) => aStart === aEnd);
  // What is gone must not match while nothing was taken away: a blank line typed is not the blank line removed.
  const key = ({ isLive, text }: TrackedLine, index: number) => (isKept && !isHistory && !isLive ? `\n${index}` : text);
  return diffSequences(old.map(key), fresh);
}

/** The live lines with the line ends they have in the text; when an editor converted all of them, the others too. */
function withLineEndsOf(text: string, before: readonly TrackedLine[], lines: readonly TrackedLine[]): TrackedLine[] {
  const pieces = splitPieces(text);
  const from = onlyOne(lineEndsIn(liveText({ lines: before })));
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
  const liveOwners = new Set(lines.flatMap(({ by, isLive }) => (isLive && by !== undefined ? [by] : [])));
  return hunks
    .filter(({ id }) => !liveOwners.has(id))
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
  const around = linesAround(lines, { first, last, length: hunk.oldLines.length });
  const live = around.filter(({ isLive }) => isLive);
  const isSame = live.length === hunk.oldLines.length && live.every(({ text }, at) => text === hunk.oldLines[at]);
  if (!isSame || !live.every((line) => typed.has(line) || line.goneBy === id)) return undefined;
  const back = around.filter((line) => !line.isLive || isOwn(line)).map((line) => lineBack(line, id));
  return [...lines.slice(0, first), ...back, ...lines.slice(first + around.length)];
}

interface Around {
  first: number;
  last: number;
  length: number;
}

/** From the hunk's first line on as far as there are live lines enough, and at least up to its last. */
function linesAround(lines: readonly TrackedLine[], { first, last, length }: Around): TrackedLine[] {
  const around: TrackedLine[] = [];
  let live = 0;
  for (let index = first; index < lines.length && (index <= last || live < length); index++) {
    const line = lines[index];
    if (line === undefined) break;
    around.push(line);
    if (line.isLive) live += 1;
  }
  return around;
}

function lineBack(line: TrackedLine, id: string): TrackedLine {
  return line.goneBy === id ? live(line) : line;
}
