import type { Extent } from "../hunks/lineEdit.ts";
import { lineEndOf, lineOf, splitPieces } from "../hunks/pieces.ts";
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

/** Where each hunk stands, in lines of the current text; empty where it only removed. */
export function placesOf({ lines, hunks }: AppliedFile): ReadonlyMap<string, Extent> {
  const written = new Map<string, Extent>();
  const removed = new Map<string, Extent>();
  let line = 0;
  for (const { isLive, by, goneBy } of lines) {
    if (isLive && by !== undefined) written.set(by, { start: written.get(by)?.start ?? line, end: line + 1 });
    if (goneBy !== undefined) removed.set(goneBy, removed.get(goneBy) ?? { start: line, end: line });
    if (!isLive && by !== undefined && !removed.has(by)) removed.set(by, { start: line, end: line });
    if (isLive) line += 1;
  }
  const nowhere = { start: 0, end: 0 };
  return new Map(hunks.map(({ id }) => [id, written.get(id) ?? removed.get(id) ?? nowhere]));
}
