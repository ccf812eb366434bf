import type { Position, Replacement } from "../workspace.ts";

/** A change between two positions. */
export interface TextEdit {
  start: Position;
  end: Position;
  text: string;
}

/** The edits as ranges of offsets in a text, whatever its line ends are: an editor counts lines by any of them. */
export function replacementsIn(text: string, edits: readonly TextEdit[]): Replacement[] {
  const starts = lineStarts(text);
  const offsetOf = ({ line, column }: Position) => (starts[line - 1] ?? text.length) + column - 1;
  return edits.map(({ start, end, text: replacement }) => ({
    start: offsetOf(start),
    end: offsetOf(end),
    text: replacement,
  }));
}

/** Columns at which a name is in a line as a whole word; from 1. */
export function columnsOf(line: string, name: string): number[] {
  if (name === "") return [];
  const columns: number[] = [];
  for (let at = line.indexOf(name); at >= 0; at = line.indexOf(name, at + 1)) {
    if (!isWordPart(line[at - 1]) && !isWordPart(line[at + name.length])) columns.push(at + 1);
  }
  return columns;
}

function isWordPart(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_$]/u.test(character);
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (const end of text.matchAll(/\r\n|\r|\n/g)) starts.push(end.index + end[0].length);
  return starts;
}
