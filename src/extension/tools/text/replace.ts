import { diffLines, type Hunk } from "../../changes/model/diffLines.ts";
import { EditError } from "./editError.ts";
import { joinLines, keepLineEnds, majorityLineEnd } from "./keepLineEnds.ts";
import { lineNumbers, nearestLines } from "./nearestLines.ts";
import { type NormalizedText, normalizedText, normalizeLineEnds, withoutByteOrderMark } from "./normalizedText.ts";
import { placeholderLines } from "./placeholders.ts";
import { blockPlaces, exactPlaces, type ReplacedRange, withoutOverlaps } from "./places.ts";

export { EditError } from "./editError.ts";

export interface TextReplacement {
  oldText: string;
  newText: string;
  replaceAll?: boolean;
}

/**
 * Applies the edits in order, each to the result of the one before; throws an `EditError` if any fails, so that it is all
 * or nothing. Line ends do not matter for a match; those outside the replaced lines, a byte order mark and a missing
 * final line end are kept byte for byte. The new text is literal.
 */
export function applyEdits(original: string, edits: readonly TextReplacement[]): { text: string; hunks: Hunk[] } {
  if (edits.length === 0) throw new EditError("malformed", "edits is empty: give at least one old_text and new_text.");
  const { mark, text: start } = withoutByteOrderMark(original);
  let text = start;
  for (const [index, edit] of edits.entries()) {
    text = applyEdit(text, start, edit, edits.length > 1 ? `edits[${index}]: ` : "");
  }
  if (edits.length > 1 && text === start) {
    throw new EditError("no-change", "The edits undo each other: the text would stay as it is.");
  }
  return { text: mark + text, hunks: diffLines(start, text) };
}

function applyEdit(text: string, start: string, edit: TextReplacement, prefix: string): string {
  const search = normalizeLineEnds(withoutByteOrderMark(edit.oldText).text);
  const replacement = normalizeLineEnds(withoutByteOrderMark(edit.newText).text);
  refusePlaceholders(replacement, start, prefix);
  if (search === "") {
    if (text === "") return replacement;
    throw new EditError("empty-search", `${prefix}old_text is empty: give the text to replace, with lines around it.`);
  }
  if (search === replacement) {
    throw new EditError("no-change", `${prefix}old_text and new_text are the same: nothing would change.`);
  }
  const normalized = normalizedText(text);
  return spliced(text, normalized, findPlaces(normalized.text, search, replacement, { ...edit, prefix }));
}

function refusePlaceholders(replacement: string, start: string, prefix: string): void {
  const [line] = placeholderLines(replacement, start);
  if (line === undefined) return;
  throw new EditError(
    "placeholder",
    `${prefix}new_text contains "${line}", which stands for code left out. Write the code itself; to leave lines as they are, keep them out of old_text.`,
  );
}

function findPlaces(text: string, search: string, replacement: string, options: FindOptions): ReplacedRange[] {
  const exact = exactPlaces(text, search, replacement);
  if (exact.length === 1 || (exact.length > 0 && options.replaceAll)) return withoutOverlaps(exact);
  const places = exact.length > 0 ? exact : blockPlaces(text, search, replacement);
  if (places.length === 1) return places;
  if (places.length === 0) throw noMatch(text, search, options.prefix);
  const where = lineNumbers(
    text,
    places.map((place) => place.start),
  );
  throw new EditError(
    "ambiguous",
    `${options.prefix}old_text stands in ${places.length} places, at lines ${where}. Add lines around it so that it is unique, or set replace_all.`,
  );
}

interface FindOptions {
  replaceAll?: boolean;
  prefix: string;
}

function noMatch(text: string, search: string, prefix: string): EditError {
  const searchLines = search.split("\n").filter((line) => line.trim() !== "");
  if (searchLines.length > 0 && searchLines.every((line) => /^\s*\d+(?:\t| ?[|:])/.test(line))) {
    return new EditError("no-match", `${prefix}old_text was not found: it carries line numbers. Leave them out.`);
  }
  const nearest = nearestLines(text, search);
  const shown = nearest === "" ? "Nothing in the file is like it." : `The nearest lines are:\n${nearest}\n`;
  return new EditError(
    "no-match",
    `${prefix}old_text was not found. ${shown}${nearest === "" ? " " : ""}Copy the text exactly as the file has it, blanks included.`,
  );
}

/** Replaces the places line by line, so that only lines that change lose their own line end. */
function spliced(original: string, normalized: NormalizedText, places: readonly ReplacedRange[]): string {
  const fileLineEnd = majorityLineEnd(original) ?? "\n";
  const raw = (start: number, end: number) =>
    original.slice(normalized.originalOffset(start), normalized.originalOffset(end));
  let result = "";
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
    result = joinLines(result, raw(done, group.start));
    const before = raw(group.start, group.end);
    result = joinLines(result, keepLineEnds(before, after, majorityLineEnd(replaced) ?? fileLineEnd));
    done = group.end;
  }
  return joinLines(result, raw(done, normalized.text.length));
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
