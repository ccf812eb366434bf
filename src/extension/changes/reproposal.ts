import { diffLines } from "./model/diffLines.ts";
import { sameLines, usualLineEnd } from "./model/fitHunk.ts";
import { lineEndOf, lineOf, splitPieces } from "./model/pieces.ts";
import { diffSequences } from "./model/sequenceDiff.ts";
import { reviewedHunk, wholeFile } from "./openProposal.ts";
import { type PendingProposal, pendingHunks, type ReviewedFile, type ReviewedHunk } from "./proposals.ts";
import { proposedText } from "./proposedText.ts";

export interface EditedFile {
  /** The proposed text as the user edited it. */
  edited: string;
  /** The text that the file has now. */
  currentText: string;
}

/**
 * The proposal after the user edited the proposed text of one file: what is still pending becomes the difference
 * between the file as it is and the edited text. Answered hunks stay; a hunk that replaces the same lines keeps its id.
 * Undefined when the text is what was proposed anyway.
 */
export function repropose(
  proposal: PendingProposal,
  path: string,
  { edited, currentText }: EditedFile,
): PendingProposal | undefined {
  const file = proposal.files.find((candidate) => candidate.path === path);
  if (file === undefined || file.movedTo !== undefined) return undefined;
  const wanted = proposedText(file, currentText).text;
  const text = withLineEndsOf(wanted, edited);
  if (text === wanted) return undefined;
  let { hunkCount } = proposal;
  const pending = pendingHunks(file);
  const proposed = file.change === "add" ? [wholeFile("", text)] : diffLines(currentText, text);
  const hunks = proposed.map((hunk): ReviewedHunk => {
    const fresh = reviewedHunk("", hunk);
    const same = pending.find(({ extent }) => extent.start === fresh.extent.start && extent.end === fresh.extent.end);
    return { ...fresh, id: same?.id ?? `${proposal.id}.${++hunkCount}` };
  });
  const answered = file.hunks.filter((hunk) => hunk.decision !== "pending");
  const changed: ReviewedFile = {
    ...file,
    // Text put into the empty side of a deletion says that the file stays.
    change: file.change === "delete" ? "update" : file.change,
    hunks: [...answered, ...hunks],
    lineEnd: usualLineEnd(splitPieces(currentText)),
    changedByUser: true,
  };
  return { ...proposal, hunkCount, files: proposal.files.map((other) => (other === file ? changed : other)) };
}

/**
 * An editor holds a document with one kind of line end only. Lines the user left alone get back the line ends they
 * have in `original`, new ones its usual one; whether the last line has one is the user's choice.
 */
function withLineEndsOf(original: string, edited: string): string {
  const pieces = splitPieces(original);
  const editedPieces = splitPieces(edited);
  const lineEnd = usualLineEnd(pieces);
  const lines = editedPieces.map(lineOf);
  const oldLines = pieces.map(lineOf);
  const endsLine = lineEndOf(edited) !== "";
  if (sameLines(oldLines, lines) && endsLine === (lineEndOf(original) !== "")) return original;
  const result = lines.map((line) => line + lineEnd);
  let shift = 0;
  let done = 0;
  const keep = (until: number) => {
    for (; done < until; done++) {
      const piece = pieces[done] ?? "";
      result[done + shift] = lineEndOf(piece) === "" ? piece + lineEnd : piece;
    }
  };
  for (const { aStart, aEnd, bEnd } of diffSequences(oldLines, lines)) {
    keep(aStart);
    done = aEnd;
    shift = bEnd - aEnd;
  }
  keep(pieces.length);
  const text = result.join("");
  return endsLine || text === "" ? text : text.slice(0, text.length - lineEndOf(text).length);
}
