import { type CopiedLine, type FoldLine, isBlank, splitIndentation, withOwnCharacters } from "./foldedLines.ts";
import {
  type IndentationPair,
  type IndentationStyle,
  indentationStyle,
  inFileStyle,
  type Reindent,
  reindentation,
} from "./indentation.ts";

/** A line of an edit: one that the file has, or a new one. */
export interface EditLine {
  kind: "keep" | "remove" | "insert";
  text: string;
  /** The line as it was written, where it may be without the blank that marks a line to keep. */
  raw?: string;
  /** It has no mark at all: it is a line to keep only if the file has it. */
  isUnmarked?: boolean;
}

/** The lines of a file, prepared for looking for blocks in them. */
export interface FoldedFile {
  lines: readonly string[];
  fold: FoldLine;
  folded: readonly string[];
  /** The lines of each folded text. */
  positions: ReadonlyMap<string, readonly number[]>;
  style: IndentationStyle;
  /** Escaped tabs mean themselves in this kind of file: `\t` begins a word there. */
  hasCommands: boolean;
}

export function foldFile(lines: readonly string[], fold: FoldLine, path = ""): FoldedFile {
  const folded = lines.map(fold);
  const positions = new Map<string, number[]>();
  for (const [index, line] of folded.entries()) {
    const list = positions.get(line);
    if (list === undefined) positions.set(line, [index]);
    else list.push(index);
  }
  const hasCommands =
    /\.(?:tex|latex|sty|cls|bib|bst|ins|dtx)$/i.test(path) || lines.some((line) => /^\s*\\t/.test(line));
  return { lines, fold, folded, positions, style: indentationStyle(lines), hasCommands };
}

/** Where a block is in a file, and as what its lines were read. */
export interface BlockPosition {
  start: number;
  lines: readonly EditLine[];
  /** What was taken off the lines: "line numbers", "escaped tabs". */
  ignored: readonly string[];
}

/** Where the lines that the edit takes from the file are, as they are written. */
export function exactPositions(file: FoldedFile, lines: readonly EditLine[]): BlockPosition[] {
  const old = oldLines(lines);
  if (old.some((line) => line.isUnmarked && !isBlank(line.text))) return [];
  return starts(
    file,
    old.map((line) => file.fold(line.text)),
  )
    .filter((start) => old.every((line, index) => line.text === file.lines[start + index]))
    .map((start) => ({ start, lines, ignored: [] }));
}

/**
 * Where those lines are when indentation, blanks and look-alike characters don't count, nor line numbers and escaped tabs
 * that were copied along. Every such position counts: only one that is alone is what was meant.
 */
export function loosePositions(file: FoldedFile, lines: readonly EditLine[]): BlockPosition[] {
  const found = new Map<number, BlockPosition>();
  for (const { lines: read, ignored } of readings(file, lines)) {
    for (const start of starts(
      file,
      oldLines(read).map((line) => file.fold(line.text)),
    )) {
      if (!found.has(start)) found.set(start, { start, lines: read, ignored });
    }
  }
  return [...found.values()].sort((one, other) => one.start - other.start);
}

function starts(file: FoldedFile, wanted: readonly string[]): number[] {
  let rarest: { index: number; positions: readonly number[] } | undefined;
  for (const [index, line] of wanted.entries()) {
    const positions = file.positions.get(line) ?? [];
    if (rarest === undefined || positions.length < rarest.positions.length) rarest = { index, positions };
  }
  if (rarest === undefined) return [];
  const { index, positions } = rarest;
  return positions
    .map((position) => position - index)
    .filter(
      (start) =>
        start >= 0 &&
        start + wanted.length <= file.folded.length &&
        wanted.every((line, offset) => line === file.folded[start + offset]),
    );
}

export function oldLines(lines: readonly EditLine[]): EditLine[] {
  return lines.filter(({ kind }) => kind !== "insert");
}

interface Reading {
  lines: readonly EditLine[];
  ignored: string[];
}

/** What may have been meant by the lines: as they are, without the numbers of `read_file`, with `\t` as a tab. */
function readings(file: FoldedFile, lines: readonly EditLine[]): Reading[] {
  const result: Reading[] = [{ lines, ignored: [] }];
  const unnumbered = withoutNumbers(lines);
  if (unnumbered !== undefined) result.push({ lines: unnumbered, ignored: ["line numbers"] });
  if (file.hasCommands) return result;
  for (const reading of [...result]) {
    const unescaped = reading.lines.map((line) => withTexts(line, withTabs));
    const isEscaped = oldLines(reading.lines).some(({ text }) => withTabs(text) !== text);
    if (isEscaped) result.push({ lines: unescaped, ignored: [...reading.ignored, "escaped tabs"] });
  }
  return result;
}

const number = /^(\d+)\t/;

/** The lines without the numbers before them; undefined where not all lines of the file have them, in order. */
function withoutNumbers(lines: readonly EditLine[]): EditLine[] | undefined {
  const numbers = oldLines(lines).map(({ text, raw }) => (number.exec(text) ?? number.exec(raw ?? ""))?.[1]);
  const [first] = numbers;
  if (first === undefined || numbers.some((each, index) => each !== String(Number(first) + index))) return undefined;
  return lines.map(({ raw: _, ...line }) => withTexts(line, (text) => text.replace(number, "")));
}

/** Escaped tabs before a line's content as tabs. */
export function withTabs(text: string): string {
  return text.replace(/^(?:[ \t]|\\t)+/, (blanks) => blanks.replaceAll("\\t", "\t"));
}

function withTexts(line: EditLine, change: (text: string) => string): EditLine {
  return { ...line, text: change(line.text), ...(line.raw !== undefined && { raw: change(line.raw) }) };
}

/** What is where the block was: lines of the file that stay, by index, and new ones. */
export interface EditedBlock {
  end: number;
  lines: (number | string)[];
  /** What did not count when the lines were compared, for the model. */
  ignored: string[];
}

/** The edit of a block, its new lines as the file would have them. Undefined where it is not clear how that is. */
export function editedBlock(file: FoldedFile, { start, lines, ignored }: BlockPosition): EditedBlock | undefined {
  const old = oldLines(lines).map((line, index) => ({ line, own: file.lines[start + index] ?? "" }));
  const isExact = old.every(({ line, own }) => line.text === own && (!line.isUnmarked || line.text === ""));
  const inserted = lines.filter(({ kind, text }) => kind === "insert" && !isBlank(text));
  const indentations = [...new Set(inserted.map(({ text }) => splitIndentation(text).indentation))];
  const mapped = mappedIndentations(file, old, indentations);
  if (mapped === undefined) return undefined;
  const copied = old.map(({ line, own }) => ({
    written: splitIndentation(line.text).content,
    own: splitIndentation(own).content,
  }));
  const result: (number | string)[] = [];
  let at = start;
  for (const line of lines) {
    if (line.kind === "insert") {
      const text = newLine(line.text, mapped, copied);
      if (text === undefined) return undefined;
      result.push(text);
      continue;
    }
    if (line.kind === "keep") result.push(at);
    at++;
  }
  return { end: at, lines: result, ignored: isExact ? [...ignored] : [...ignored, ...differences(old)] };
}

/** What a new line's indentation is in the file, by what it is in the edit. */
type Indentations = ReadonlyMap<string, string>;

interface OldLine {
  line: EditLine;
  own: string;
}

function mappedIndentations(
  { style }: FoldedFile,
  old: readonly OldLine[],
  indentations: readonly string[],
): Indentations | undefined {
  const pairs = (textOf: (each: OldLine) => string): IndentationPair[] =>
    old
      .filter(({ own }) => !isBlank(own))
      .map((each) => ({
        written: splitIndentation(textOf(each)).indentation,
        own: splitIndentation(each.own).indentation,
      }));
  const sameAsOwn = pairs(({ line, own }) => (indentedAlike(line.raw, own) ? (line.raw ?? "") : line.text));
  if (sameAsOwn.every(({ written, own }) => written === own)) {
    const convert = sameAsOwn.every(({ own }) => own === "") ? inFileStyle(indentations, style) : undefined;
    return mapping(indentations, convert ?? ((indentation) => indentation));
  }
  // Lines to keep with and without their mark: both readings have to lead to the same.
  const hasRaw = old.some(({ line }) => line.raw !== undefined);
  const all = [pairs(({ line }) => line.text), ...(hasRaw ? [pairs(({ line }) => line.raw ?? line.text)] : [])];
  const results = all
    .map((each) => reindentation(each, indentations, style, hasRaw))
    .filter((each) => each !== undefined)
    .map((each) => mapping(indentations, each))
    .filter((each) => each !== undefined);
  if (indentations.length === 0) return new Map();
  const [result, ...others] = results;
  const agree = others.every((other) => indentations.every((each) => other.get(each) === result?.get(each)));
  return agree ? result : undefined;
}

function indentedAlike(text: string | undefined, own: string): boolean {
  return text !== undefined && splitIndentation(text).indentation === splitIndentation(own).indentation;
}

function mapping(indentations: readonly string[], reindent: Reindent): Indentations | undefined {
  const result = new Map<string, string>();
  for (const indentation of indentations) {
    const own = reindent(indentation);
    if (own === undefined) return undefined;
    result.set(indentation, own);
  }
  return result;
}

function newLine(text: string, indentations: Indentations, copied: readonly CopiedLine[]): string | undefined {
  if (isBlank(text)) return text;
  const { indentation, content } = splitIndentation(text);
  const own = indentations.get(indentation);
  if (own === undefined) return undefined;
  const result = withOwnCharacters(content, copied);
  return result === undefined ? undefined : own + result;
}

/** In what the lines of the edit differ from those of the file. */
function differences(old: readonly OldLine[]): string[] {
  const compared = old.map(({ line, own }) => ({
    written: splitIndentation(line.raw !== undefined && indentedAlike(line.raw, own) ? line.raw : line.text),
    own: splitIndentation(own),
  }));
  const squeezed = (text: string) => text.trimEnd().replace(/\s+/g, " ");
  return [
    ...(old.some(({ line, own }) => line.isUnmarked || (line.text !== own && line.raw === own))
      ? ["the missing space before lines to keep"]
      : []),
    ...(compared.some(({ written, own }) => own.content.trim() !== "" && written.indentation !== own.indentation)
      ? ["indentation"]
      : []),
    ...(compared.some(
      ({ written, own }) => written.content !== own.content && squeezed(written.content) === squeezed(own.content),
    )
      ? ["whitespace"]
      : []),
    ...(compared.some(({ written, own }) => squeezed(written.content) !== squeezed(own.content))
      ? ["typographic quotes, dashes and spaces"]
      : []),
  ];
}
