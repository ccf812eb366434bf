import { fitHunk, type PieceReplacement, usualLineEnd } from "./model/fitHunk.ts";
import type { Extent } from "./model/lineEdit.ts";
import { splitPieces } from "./model/pieces.ts";
import type { ReviewedFile, ReviewedHunk } from "./proposals.ts";
import { pendingHunks } from "./proposals.ts";

export interface FittedHunk {
  hunk: ReviewedHunk;
  replacement: PieceReplacement;
}

/** The hunks that can be written into this text, from the top down. */
export function fitHunks(file: ReviewedFile, hunks: readonly ReviewedHunk[], pieces: readonly string[]): FittedHunk[] {
  const lineEnds = { made: file.lineEnd, now: usualLineEnd(pieces) };
  return hunks
    .flatMap((hunk) => {
      const replacement = fitHunk(hunk.hunk, hunk.extent, pieces, lineEnds);
      return replacement === undefined ? [] : [{ hunk, replacement }];
    })
    .sort((one, other) => one.replacement.start - other.replacement.start);
}

export interface ProposedText {
  text: string;
  /** Where each hunk's new lines stand in it, by hunk id. */
  extents: ReadonlyMap<string, Extent>;
}

/** The current text with everything applied that is still pending and can be. */
export function proposedText(file: ReviewedFile, currentText: string): ProposedText {
  const pieces = splitPieces(currentText);
  if (file.movedTo !== undefined) return { text: currentText, extents: new Map() };
  if (file.change === "delete") return { text: "", extents: new Map() };
  const extents = new Map<string, Extent>();
  const result: string[] = [];
  let done = 0;
  let lines = 0;
  for (const { hunk, replacement } of fitHunks(file, pendingHunks(file), pieces)) {
    lines += replacement.start - done;
    result.push(pieces.slice(done, replacement.start).join(""), replacement.text);
    const end = lines + splitPieces(replacement.text).length;
    extents.set(hunk.id, { start: lines, end });
    [done, lines] = [replacement.end, end];
  }
  return { text: result.join("") + pieces.slice(done).join(""), extents };
}
