import { isBlank, splitIndentation } from "./foldedLines.ts";

/** What a line's indentation is in an edit and in the file. */
export interface IndentationPair {
  written: string;
  own: string;
}

/** What the indentation of a new line becomes in the file; undefined where that is not clear. */
export type Reindent = (indentation: string) => string | undefined;

/** How a file indents: by tabs alone, by spaces alone (`unit` at a time), or neither clearly. */
export interface IndentationStyle {
  by: "tabs" | "spaces" | undefined;
  unit: number;
}

export function indentationStyle(lines: readonly string[]): IndentationStyle {
  const indentations = lines.filter((line) => !isBlank(line)).map((line) => splitIndentation(line).indentation);
  const indented = indentations.filter((indentation) => indentation !== "");
  const widths = indented.filter((indentation) => !indentation.includes("\t")).map(({ length }) => length);
  if (indented.length === 0) return { by: undefined, unit: 0 };
  if (widths.length === 0) return { by: indented.every(isTabs) ? "tabs" : undefined, unit: 0 };
  return { by: widths.length === indented.length ? "spaces" : undefined, unit: Math.min(...widths) };
}

/**
 * How new lines of an edit are indented in the file, by the lines that the edit copied from it. The difference is
 * the same for all of them: none, blanks that each has more or less, or another unit (tabs for spaces). Undefined where
 * it is none of these. `wholeLevels`: blanks that are no level of the file are no difference, but a mark taken for a blank.
 */
export function reindentation(
  pairs: readonly IndentationPair[],
  indentations: readonly string[],
  style: IndentationStyle,
  wholeLevels: boolean,
): Reindent | undefined {
  if (pairs.every(({ written, own }) => written === own)) return (indentation) => indentation;
  const known = new Map(pairs.map(({ written, own }) => [written, own]));
  const isShift = (blanks: string) => !wholeLevels || isLevels(blanks, style);
  const further = [shiftOf(pairs, isShift), unitChangeOf(pairs, indentations, style)].filter(
    (each) => each !== undefined,
  );
  if (further.length === 0) return undefined;
  return (indentation) => {
    const copied = known.get(indentation);
    if (copied !== undefined) return copied;
    const [result, ...others] = further.map((each) => each(indentation));
    if (result === undefined || others.some((other) => other !== result)) return undefined;
    return mixes(result, style) ? undefined : result;
  };
}

/** Every line has the same blanks more, or the same less. */
function shiftOf(pairs: readonly IndentationPair[], isShift: (blanks: string) => boolean): Reindent | undefined {
  const [first] = pairs;
  if (first === undefined) return undefined;
  const { written, own } = first;
  if (own.endsWith(written)) {
    const added = own.slice(0, own.length - written.length);
    if (!isShift(added) || !pairs.every((pair) => pair.own === added + pair.written)) return undefined;
    return (indentation) => added + indentation;
  }
  if (!written.endsWith(own)) return undefined;
  const removed = written.slice(0, written.length - own.length);
  if (!isShift(removed) || !pairs.every((pair) => pair.written === removed + pair.own)) return undefined;
  return (indentation) => (indentation.startsWith(removed) ? indentation.slice(removed.length) : undefined);
}

function isLevels(blanks: string, { by, unit }: IndentationStyle): boolean {
  if (by === "tabs" || blanks.includes("\t")) return blanks.includes("\t");
  return by === "spaces" && unit > 1 ? blanks.length % unit === 0 : blanks.length > 1;
}

/**
 * Every level is indented by another unit: so many spaces for a tab, a tab for so many spaces, or 2 spaces for 4. What is
 * taken for a level has to be one: all the lines' indentation has no greater unit in common, and the file has that one.
 */
function unitChangeOf(
  pairs: readonly IndentationPair[],
  indentations: readonly string[],
  { by, unit }: IndentationStyle,
): Reindent | undefined {
  const deepest = pairs.reduce((longer, pair) => (pair.written.length > longer.written.length ? pair : longer));
  const [from, to] = [blankOf(deepest.written), blankOf(deepest.own)];
  if (from === undefined || to === undefined) return undefined;
  const common = commonDivisor(deepest.written.length, deepest.own.length);
  const [fromWidth, toWidth] = [deepest.written.length / common, deepest.own.length / common];
  const written = [...pairs.map((pair) => pair.written), ...indentations].map(({ length }) => length);
  const level = written.reduce(commonDivisor);
  if (from !== to && level !== fromWidth) return undefined;
  if (from !== to && by === "spaces" && unit > 1 && toWidth !== unit) return undefined;
  const isChange = from === to ? areUnits(level, (level * toWidth) / fromWidth) : isUnit(from, fromWidth, toWidth);
  if (!isChange || from + to === "\t\t") return undefined;
  const convert: Reindent = (indentation) => {
    if (indentation !== from.repeat(indentation.length) || indentation.length % fromWidth !== 0) return undefined;
    return to.repeat((indentation.length / fromWidth) * toWidth);
  };
  return pairs.every(({ written, own }) => convert(written) === own) ? convert : undefined;
}

const units = [2, 3, 4, 8];

/** Whether one level is so many spaces for a tab, or a tab for so many spaces. */
function isUnit(from: string, fromWidth: number, toWidth: number): boolean {
  const [tabs, spaces] = from === "\t" ? [fromWidth, toWidth] : [toWidth, fromWidth];
  return tabs === 1 && units.includes(spaces);
}

function areUnits(one: number, other: number): boolean {
  return one !== other && units.includes(one) && units.includes(other);
}

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other);
}

/** The character that an indentation consists of, where it is one. */
function blankOf(indentation: string): string | undefined {
  const [first] = indentation;
  return first !== undefined && indentation === first.repeat(indentation.length) ? first : undefined;
}

function isTabs(indentation: string): boolean {
  return blankOf(indentation) === "\t";
}

/** Whether an indentation brings blanks into a file that indents by the other kind alone. */
function mixes(indentation: string, { by }: IndentationStyle): boolean {
  return by === "tabs" ? indentation.includes(" ") : by === "spaces" && indentation.includes("\t");
}

/**
 * The indentations of a piece of new code by the file's own unit, where it is written by another throughout: a file that
 * mixes the two is of no use. Undefined where it is not clear that they are.
 */
export function inFileStyle(indentations: readonly string[], { by, unit }: IndentationStyle): Reindent | undefined {
  const indented = indentations.filter((indentation) => indentation !== "");
  if (indented.length === 0) return undefined;
  if (by === "spaces" && indented.every(isTabs)) return (indentation) => " ".repeat(unit * indentation.length);
  if (by !== "tabs" || !indented.every((indentation) => blankOf(indentation) === " ")) return undefined;
  const width = Math.min(...indented.map(({ length }) => length));
  if (![2, 4, 8].includes(width) || indented.some(({ length }) => length % width !== 0)) return undefined;
  return (indentation) => "\t".repeat(indentation.length / width);
}
