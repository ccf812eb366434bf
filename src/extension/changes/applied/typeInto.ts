import { type Extent, editorLines, fittingEdits, type LineEdit } from "../model/lineEdit.ts";
import { lineEndOf, lineEndsIn, splitPieces } from "../model/pieces.ts";
import { diffSequences } from "../model/sequenceDiff.ts";
import type { AppliedFile, OwnedLine } from "./appliedEdits.ts";
import { isRemembered, lineFrom, spanOf, textOf } from "./ownedLines.ts";
import { recognised } from "./recognise.ts";

/**
 * The file after the user, or another program, made its text this one: by the reported edits, or when they do not lead
 * there, by whatever ones do. Lines that were gone and come back in their place are the same lines again.
 */
export function typeInto(file: AppliedFile, text: string, reported: readonly LineEdit[] = []): AppliedFile {
  const before = editorLines(textOf(file));
  let current = before;
  let { lines } = file;
  const typed = new Set<OwnedLine>();
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
  lines: readonly OwnedLine[],
  extent: Extent,
  fresh: readonly string[],
  typed: Set<OwnedLine>,
): readonly OwnedLine[] {
  const span = spanOf(lines, extent);
  const old = lines.slice(span.start, span.end);
  const result: OwnedLine[] = [];
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

const live = (line: OwnedLine): OwnedLine => (line.isLive ? line : { ...line, isLive: true });
const gone = (line: OwnedLine): OwnedLine => ({ ...line, isLive: false });

/** Lines that stand there already match first: only what is left over can bring gone ones back. */
function matched(old: readonly OwnedLine[], fresh: readonly string[]) {
  const live = old.filter(({ isLive }) => isLive);
  const isKept = diffSequences(
    live.map(({ text }) => text),
    fresh,
  ).every(({ aStart, aEnd }) => aStart === aEnd);
  // What is gone must not match while nothing was taken away: a blank line typed is not the blank line removed.
  const key = ({ isLive, text }: OwnedLine, index: number) => (isKept && !isLive ? `\n${index}` : text);
  return diffSequences(old.map(key), fresh);
}

/** The live lines with the line ends they have in the text; when an editor converted all of them, the others too. */
function withLineEndsOf(text: string, before: readonly OwnedLine[], lines: readonly OwnedLine[]): OwnedLine[] {
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
