import type { Author, ProposedHunk, WrittenFile, WrittenHunk } from "../model/change.ts";
import { type ExactHunk, wholeFile } from "../model/diffLines.ts";
import type { FittedHunk } from "../model/fitHunks.ts";
import { lineEndOf, lineOf, splitPieces } from "../model/pieces.ts";
import { textOf, untouched, withHunk } from "../model/trackedLines.ts";
import { typeInto } from "../model/trackText.ts";

/** A write that is about to happen: all hunks of one file that it writes, or none of them. */
export interface PlannedWrite {
  path: string;
  kind: WrittenHunk["kind"];
  /** What the file holds; empty for one that is not there, or that is moved. */
  before: string;
  languageId: string;
  /** As they are written into that text, from the top down. */
  hunks: readonly PlacedHunk[];
  /** Ids of these hunks and of the same ones in other proposals. */
  hunkIds: ReadonlySet<string>;
  movedTo?: string;
}

export interface PlacedHunk {
  hunk: ProposedHunk;
  placed: ExactHunk;
}

/** Told of each write before it happens and after. */
export interface WriteAhead {
  /** Resolves when storage holds what is about to be written, or can't hold anything. */
  begin(write: PlannedWrite): Promise<void>;
  /** It is written; `text` is what the file holds now, where that is known. */
  end(write: PlannedWrite, text?: string): Promise<void>;
  /** Nothing was written. */
  fail(write: PlannedWrite): Promise<void>;
}

/** Hunks as they are written into a text of these pieces. What would replace a text with itself is left out. */
export function placedHunks(fitted: readonly FittedHunk[], pieces: readonly string[]): PlacedHunk[] {
  return fitted.flatMap(({ hunk, replacement: { start, end, text } }) => {
    const old = pieces.slice(start, end);
    if (old.join("") === text) return [];
    const above = pieces[start - 1];
    // A last line without a line end gets one when something follows it.
    const touchesAbove = text !== "" && above !== undefined && lineEndOf(above) === "";
    const placed = touchesAbove ? exactHunk(start - 1, [above, ...old], above + text) : exactHunk(start, old, text);
    return [{ hunk, placed }];
  });
}

function exactHunk(start: number, old: readonly string[], newText: string): ExactHunk {
  return {
    oldStart: start + 1,
    oldLines: old.map(lineOf),
    oldText: old.join(""),
    newStart: start + 1,
    newLines: splitPieces(newText).map(lineOf),
    newText,
  };
}

/** Hunks of one record's own that a write writes. */
export interface OwnWrite {
  write: PlannedWrite;
  author: Author;
  hunks: readonly { id: string; placed: ExactHunk }[];
}

/** Where the file is once it is written. */
export function pathAfter({ path, movedTo }: Pick<PlannedWrite, "path" | "movedTo">): string {
  return movedTo ?? path;
}

/** What a record has of a file, once the write has happened. */
export function withWrite(known: WrittenFile | undefined, { write, author, hunks }: OwnWrite): WrittenFile {
  const { before, languageId, kind, path, movedTo } = write;
  const base = known ?? untouched(path, languageId, before);
  const current = textOf(base) === before ? base : typeInto(base, before);
  const applied = hunks.map(
    ({ id, placed }): WrittenHunk => ({
      ...{ id, author, kind, hunk: placed },
      ...(movedTo === undefined ? {} : { movedFrom: path }),
    }),
  );
  const lines = hunks.toReversed().reduce((result, { id, placed }) => withHunk(result, id, placed), current.lines);
  return { ...current, path: pathAfter(write), lines, hunks: [...current.hunks, ...applied] };
}

/** The one hunk of a file that is added, deleted or moved as a whole. */
export function wholeWrite(
  { path, kind, before, languageId, movedTo }: Omit<PlannedWrite, "hunks" | "hunkIds">,
  hunk: ProposedHunk,
): Omit<PlannedWrite, "hunkIds"> {
  const placed =
    kind === "add" ? wholeFile("", hunk.hunk.newText) : kind === "delete" ? wholeFile(before, "") : wholeFile("", "");
  return { path, kind, before, languageId, hunks: [{ hunk, placed }], ...(movedTo === undefined ? {} : { movedTo }) };
}
