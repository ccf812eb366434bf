/** A range of the searched text and what shall stand there; offsets and line ends are those of the normalised text. */
export interface ReplacedRange {
  start: number;
  end: number;
  replacement: string;
}

/** Every place where `search` is, overlapping ones too: two ways to place a text are already ambiguous. */
export function exactPlaces(text: string, search: string, replacement: string): ReplacedRange[] {
  const places: ReplacedRange[] = [];
  for (let at = text.indexOf(search); at >= 0; at = text.indexOf(search, at + 1)) {
    places.push({ start: at, end: at + search.length, replacement });
  }
  return places;
}

/** From the first on, those that don't overlap one already taken. */
export function withoutOverlaps(places: readonly ReplacedRange[]): ReplacedRange[] {
  let end = -1;
  return places.filter((place) => {
    if (place.start < end) return false;
    end = place.end;
    return true;
  });
}

/**
 * Whole-line blocks equal to `search` but for trailing blanks and one and the same indentation on every line that is not
 * blank; the replacement is shifted by that indentation. Indentation is never converted between tabs and spaces.
 */
export function blockPlaces(text: string, search: string, replacement: string): ReplacedRange[] {
  const searchLines = linesOf(search);
  const wanted = searchLines.map(withoutTrailingBlanks);
  const anchor = wanted.findIndex((line) => line !== "");
  if (anchor < 0) return [];
  const lines = text.split("\n");
  const starts = lineStarts(lines);
  const places: ReplacedRange[] = [];
  for (let first = 0; first + wanted.length <= lines.length; first++) {
    const shift = shiftBetween(lines[first + anchor] ?? "", wanted[anchor] ?? "");
    if (
      !shift ||
      !wanted.every((line, index) => shifted(line, shift) === withoutTrailingBlanks(lines[first + index] ?? ""))
    )
      continue;
    const last = first + wanted.length - 1;
    const start = starts[first] ?? 0;
    const lineEnd = (starts[last] ?? 0) + (lines[last] ?? "").length;
    const endsText = lineEnd === text.length;
    const found = lines.slice(first, last + 1);
    const lineTexts = replacementLines({ searchLines, replacement, found, shift });
    if (!search.endsWith("\n")) places.push({ start, end: lineEnd, replacement: lineTexts.join("\n") });
    else if (endsText) places.push({ start, end: lineEnd, replacement: withoutFinalLineEnd(lineTexts.join("\n")) });
    else places.push({ start, end: lineEnd + 1, replacement: lineTexts.join("\n") });
  }
  return places;
}

type Shift = { added: string } | { removed: string };

function shiftBetween(line: string, wanted: string): Shift | undefined {
  const indentation = indentationOf(line);
  const wantedIndentation = indentationOf(wanted);
  if (indentation.endsWith(wantedIndentation)) {
    return { added: indentation.slice(0, indentation.length - wantedIndentation.length) };
  }
  if (wantedIndentation.endsWith(indentation)) {
    return { removed: wantedIndentation.slice(0, wantedIndentation.length - indentation.length) };
  }
  return undefined;
}

function shifted(line: string, shift: Shift): string {
  if (isBlank(line)) return line;
  if ("added" in shift) return shift.added + line;
  return line.startsWith(shift.removed) ? line.slice(shift.removed.length) : line;
}

interface Replaced {
  searchLines: readonly string[];
  replacement: string;
  found: readonly string[];
  shift: Shift;
}

/** The replacement's lines; where it begins or ends with lines of the search, the text's own lines stay as they are. */
function replacementLines({ searchLines, replacement, found, shift }: Replaced): string[] {
  const lines = replacement.split("\n");
  const result = lines.map((line) => shifted(line, shift));
  const max = Math.min(searchLines.length, lines.length);
  let head = 0;
  for (; head < max && lines[head] === searchLines[head]; head++) result[head] = found[head] ?? "";
  const tailOffset = lines.length - (replacement.endsWith("\n") ? 1 : 0);
  for (
    let tail = 1;
    tail <= searchLines.length && tailOffset - tail >= head && head + tail <= searchLines.length;
    tail++
  ) {
    if (lines[tailOffset - tail] !== searchLines[searchLines.length - tail]) break;
    result[tailOffset - tail] = found[searchLines.length - tail] ?? "";
  }
  return result;
}

function withoutFinalLineEnd(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

/** The lines of a text; a final line end opens no further one. */
function linesOf(text: string): string[] {
  return withoutFinalLineEnd(text).split("\n");
}

function lineStarts(lines: readonly string[]): number[] {
  let offset = 0;
  return lines.map((line) => {
    const start = offset;
    offset += line.length + 1;
    return start;
  });
}

function indentationOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function withoutTrailingBlanks(line: string): string {
  return line.replace(/[ \t]+$/, "");
}

function isBlank(line: string): boolean {
  return withoutTrailingBlanks(line) === "";
}
