import type { Extent } from "../model/lineEdit.ts";
import { lineEndOf, lineOf, splitPieces } from "../model/pieces.ts";
import type { AppliedFile, OwnedLine } from "./appliedEdits.ts";

/** A file that nobody has pending hunks in. */
export function untouched(path: string, languageId: string, text: string): AppliedFile {
  return { path, languageId, lines: splitPieces(text).map((piece) => lineFrom(piece)), hunks: [] };
}

export function lineFrom(piece: string, by?: string): OwnedLine {
  return { text: lineOf(piece), end: lineEndOf(piece), isLive: true, ...(by === undefined ? {} : { by }) };
}

/** The text of the file. */
export function textOf({ lines }: Pick<AppliedFile, "lines">): string {
  return lines.map(({ text, end, isLive }) => (isLive ? text + end : "")).join("");
}

/** The lines with a line end for each that is followed by another. */
export function ended(lines: readonly OwnedLine[]): readonly OwnedLine[] {
  const last = lines.findLastIndex(({ isLive }) => isLive);
  const isOpen = ({ end, isLive }: OwnedLine, index: number) => isLive && end === "" && index < last;
  if (!lines.some(isOpen)) return lines;
  const usual = lines.find(({ isLive, end }) => isLive && end !== "")?.end ?? "\n";
  return lines.map((line, index) => (isOpen(line, index) ? { ...line, end: usual } : line));
}

/** Where the lines from the `start`th live one to before the `end`th are, with those that are gone around them. */
export function spanOf(lines: readonly OwnedLine[], { start, end }: Extent): Extent {
  const live = lines.flatMap(({ isLive }, index) => (isLive ? [index] : []));
  return { start: (live[start - 1] ?? -1) + 1, end: live[end] ?? lines.length };
}

/** A line that is gone and that no pending hunk could bring back is forgotten. */
export function isRemembered({ isLive, by, goneBy }: OwnedLine): boolean {
  return isLive || by !== undefined || goneBy !== undefined;
}
