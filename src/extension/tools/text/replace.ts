import { diffLines, type Hunk } from "../../changes/model/diffLines.ts";
import { diffSequences } from "../../changes/model/sequenceDiff.ts";
import { EditError } from "./editError.ts";
import { type EditLine, editedBlock, foldFile, loosePositions } from "./editedBlock.ts";
import { withoutExtraBlanks } from "./foldedLines.ts";
import { joinLines, keepLineEnds, majorityLineEnd } from "./keepLineEnds.ts";
import { mismatchOf } from "./mismatch.ts";
import { lineNumbers, nearestLines } from "./nearestLines.ts";
import { type NormalizedText, normalizedText, normalizeLineEnds, withoutByteOrderMark } from "./normalizedText.ts";
import { placeholderLines } from "./placeholders.ts";

export { EditError } from "./editError.ts";

export interface TextReplacement {
  oldText: string;
  newText: string;
  replaceAll?: boolean;
}

export interface EditedText {
  text: string;
  hunks: Hunk[];
  /** In what the old texts differ from the file's, where that did not matter. */
  ignored?: string[];
}

/**
 * Applies the edits in order, each to the result of the one before; throws an `EditError` if any fails, so that it is all
 * or nothing. Line ends do not matter for a match; those outside the replaced lines, a byte order mark and a missing
 * final line end are kept byte for byte. The new text is literal. An old text that is nowhere is looked for by whole
 * lines, without what models get wrong when they copy, and then counts only if it is in one place.
 */
export function applyEdits(original: string, edits: readonly TextReplacement[]): EditedText {
  if (edits.length === 0) throw new EditError("malformed", "edits is empty: give at least one old_text and new_text.");
  const { mark, text: start } = withoutByteOrderMark(original);
  let text = start;
  const ignored = new Set<string>();
  for (const [index, edit] of edits.entries()) {
    const edited = applyEdit(text, start, edit, edits.length > 1 ? `edits[${index}]: ` : "");
    text = edited.text;
    for (const each of edited.ignored) ignored.add(each);
  }
  if (edits.length > 1 && text === start) {
    throw new EditError("no-change", "The edits undo each other: the text would stay as it is.");
  }
  return { text: mark + text, hunks: diffLines(start, text), ...(ignored.size > 0 && { ignored: [...ignored] }) };
}

function applyEdit(
  text: string,
  start: string,
  edit: TextReplacement,
  prefix: string,
): { text: string; ignored: readonly string[] } {
  const search = normalizeLineEnds(withoutByteOrderMark(edit.oldText).text);
  const replacement = normalizeLineEnds(withoutByteOrderMark(edit.newText).text);
  refusePlaceholders(replacement, start, prefix);
  if (search === "") {
    if (text === "") return { text: replacement, ignored: [] };
    throw new EditError("empty-search", `${prefix}old_text is empty: give the text to replace, with lines around it.`);
  }
  if (search === replacement) {
    throw new EditError("no-change", `${prefix}old_text and new_text are the same: nothing would change.`);
  }
  const normalized = normalizedText(text);
  const { places, ignored } = findMatches(normalized.text, search, replacement, { ...edit, prefix });
  return { text: spliced(text, normalized, places), ignored };
}

function refusePlaceholders(replacement: string, start: string, prefix: string): void {
  const [line] = placeholderLines(replacement, start);
  if (line === undefined) return;
  throw new EditError(
    "placeholder",
    `${prefix}new_text contains "${line}", which stands for code left out. Write the code itself; to leave lines as they are, keep them out of old_text.`,
  );
}

/** A range of the searched text and what shall be there; offsets and line ends are those of the normalised text. */
interface ReplacedRange {
  start: number;
  end: number;
  replacement: string;
}

interface Found {
  places: ReplacedRange[];
  ignored: readonly string[];
}

function findMatches(text: string, search: string, replacement: string, options: FindOptions): Found {
  const exact = exactMatches(text, search, replacement);
  if (exact.length === 1 || (exact.length > 0 && options.replaceAll)) {
    return { places: withoutOverlaps(exact), ignored: [] };
  }
  if (exact.length > 0) throw ambiguous(text, exact, options.prefix);
  const found = [...blockMatches(text, search, replacement), ...unescapedMatches(text, search, replacement)];
  const [only, ...others] = found;
  if (only === undefined) throw noMatch(text, search, replacement, options.prefix);
  if (others.length > 0) throw ambiguous(text, found, options.prefix);
  const { start, end, edited, ignored } = only;
  if (edited === undefined) throw unclear(text, start, options.prefix);
  return { places: [{ start, end, replacement: edited }], ignored };
}

/** Every place where `search` is, overlapping ones too: two ways to place a text are already ambiguous. */
function exactMatches(text: string, search: string, replacement: string): ReplacedRange[] {
  const places: ReplacedRange[] = [];
  for (let at = text.indexOf(search); at >= 0; at = text.indexOf(search, at + 1)) {
    places.push({ start: at, end: at + search.length, replacement });
  }
  return places;
}

/** From the first on, those that don't overlap one already taken. */
function withoutOverlaps(places: readonly ReplacedRange[]): ReplacedRange[] {
  let end = -1;
  return places.filter((place) => {
    if (place.start < end) return false;
    end = place.end;
    return true;
  });
}

/** Whole lines that are what an edit means by its old text, and what they become; undefined where that is unclear. */
interface FoundBlock {
  start: number;
  end: number;
  edited: string | undefined;
  ignored: readonly string[];
}

function blockMatches(text: string, search: string, replacement: string): FoundBlock[] {
  const lines = text.split("\n");
  const endsLine = search.endsWith("\n");
  const oldTexts = (endsLine ? search.slice(0, -1) : search).split("\n");
  if (oldTexts.every((line) => line.trim() === "")) return [];
  const file = foldFile(lines, withoutExtraBlanks);
  const starts = lineStarts(lines);
  const positions = loosePositions(file, editLines(oldTexts, replacementLines(replacement)));
  return positions.map((position) => {
    // Of several none is edited: it is enough to say where they are.
    const block = positions.length > 1 ? undefined : editedBlock(file, position);
    const start = starts[position.start] ?? 0;
    const lineEnd = (starts[position.start + oldTexts.length] ?? text.length + 1) - 1;
    const endsText = lineEnd === text.length;
    const edited = block?.lines.map((line) => (typeof line === "number" ? (lines[line] ?? "") : line)).join("\n");
    const finalEnd = replacement.endsWith("\n") && !(endsLine && endsText) ? "\n" : "";
    return {
      start,
      end: endsLine && !endsText ? lineEnd + 1 : lineEnd,
      edited: edited === undefined ? undefined : edited + finalEnd,
      ignored: block?.ignored ?? [],
    };
  });
}

/** The lines of a text to write; a final line end opens no further one. */
function replacementLines(replacement: string): string[] {
  if (replacement === "") return [];
  return (replacement.endsWith("\n") ? replacement.slice(0, -1) : replacement).split("\n");
}

function lineStarts(lines: readonly string[]): number[] {
  let offset = 0;
  return lines.map((line) => {
    const start = offset;
    offset += line.length + 1;
    return start;
  });
}

/** What of the old lines stays, what goes and what comes. */
function editLines(old: readonly string[], next: readonly string[]): EditLine[] {
  const result: EditLine[] = [];
  let at = 0;
  const keep = (end: number) => {
    for (; at < end; at++) result.push({ kind: "keep", text: old[at] ?? "" });
  };
  for (const { aStart, aEnd, bStart, bEnd } of diffSequences(old, next)) {
    keep(aStart);
    result.push(...old.slice(aStart, aEnd).map((text): EditLine => ({ kind: "remove", text })));
    result.push(...next.slice(bStart, bEnd).map((text): EditLine => ({ kind: "insert", text })));
    at = aEnd;
  }
  keep(old.length);
  return result;
}

/**
 * The places of a text whose line ends are escaped, as `\n`. Only where they can mean nothing else: neither text has a
 * line end of its own, the file has no such escape, and none of them is inside quotes.
 */
function unescapedMatches(text: string, search: string, replacement: string): FoundBlock[] {
  const isEscaped = /\\n/.test(search) && !/\n/.test(search + replacement) && !/\\n/.test(text);
  if (!isEscaped) return [];
  const [old, next] = [withLineEnds(search), withLineEnds(replacement)];
  const isSplit = next
    .split("\n")
    .some((line) => ['"', "'", "`", "/"].some((mark) => line.split(mark).length % 2 === 0));
  if (isSplit && next !== replacement) return [];
  return blockMatches(text, old, next).map((place) => ({ ...place, ignored: ["escaped line ends", ...place.ignored] }));
}

function withLineEnds(text: string): string {
  return text.replace(/(?:\\r)?\\n/g, "\n");
}

function ambiguous(text: string, places: readonly { start: number }[], prefix: string): EditError {
  const where = lineNumbers(
    text,
    places.map((place) => place.start),
  );
  return new EditError(
    "ambiguous",
    `${prefix}old_text is in ${places.length} places, at lines ${where}. Add lines around it so that it is unique, or set replace_all.`,
  );
}

function unclear(text: string, start: number, prefix: string): EditError {
  return new EditError(
    "no-match",
    `${prefix}old_text is the lines from line ${lineNumbers(text, [start])} on, but with other whitespace or quotes: how new_text has to be written is not clear. Read the file and copy its lines exactly.`,
  );
}

interface FindOptions {
  replaceAll?: boolean;
  prefix: string;
}

function noMatch(text: string, search: string, replacement: string, prefix: string): EditError {
  const reason = mismatchOf(text, search, replacement);
  if (reason !== undefined) return new EditError("no-match", `${prefix}old_text was not found: ${reason}`);
  const nearest = nearestLines(text, search);
  const shown = nearest === "" ? "Nothing in the file is like it." : `The nearest lines are:\n${nearest}\n`;
  return new EditError(
    "no-match",
    `${prefix}old_text was not found. ${shown}${nearest === "" ? " " : ""}Copy the text exactly as the file has it, whitespace included.`,
  );
}

/** Replaces the places line by line, so that only lines that change lose their own line end. */
function spliced(original: string, normalized: NormalizedText, places: readonly ReplacedRange[]): string {
  const fileLineEnd = majorityLineEnd(original) ?? "\n";
  const raw = (start: number, end: number) =>
    original.slice(normalized.originalOffset(start), normalized.originalOffset(end));
  const result: string[] = [];
  let done = 0;
  for (const group of groupsByLine(normalized.text, places)) {
    let after = "";
    let replaced = "";
    let at = group.start;
    for (const place of group.places) {
      after += normalized.text.slice(at, place.start) + place.replacement;
      replaced += raw(place.start, place.end);
      at = place.end;
    }
    after += normalized.text.slice(at, group.end);
    result.push(raw(done, group.start));
    const before = raw(group.start, group.end);
    result.push(keepLineEnds(before, after, majorityLineEnd(replaced) ?? fileLineEnd));
    done = group.end;
  }
  result.push(raw(done, normalized.text.length));
  return joinLines(result);
}

interface LineGroup {
  start: number;
  end: number;
  places: ReplacedRange[];
}

/** The places in groups of whole lines, an outer line end left out; places that share a line share a group. */
function groupsByLine(text: string, places: readonly ReplacedRange[]): LineGroup[] {
  const groups: LineGroup[] = [];
  for (const place of places) {
    const start = place.start === 0 ? 0 : text.lastIndexOf("\n", place.start - 1) + 1;
    const lineEnd = text.indexOf("\n", place.end);
    const endsLine = text[place.end - 1] === "\n";
    const end = endsLine ? place.end : lineEnd < 0 ? text.length : lineEnd;
    const open = groups.at(-1);
    if (open && start < open.end) {
      open.places.push(place);
      open.end = Math.max(open.end, end);
    } else groups.push({ start, end, places: [place] });
  }
  return groups;
}
