import { diffLines, type ExactHunk } from "./model/diffLines.ts";
import { sameLines, usualLineEnd } from "./model/fitHunk.ts";
import { editorLines, editsBetween } from "./model/lineEdit.ts";
import { splitPieces } from "./model/pieces.ts";
import type { PendingProposal, ReviewedFile, ReviewedHunk } from "./proposals.ts";
import type { EditProposal, ProposedChange } from "./review.ts";
import { withText } from "./tracking.ts";

/** What stands in the editor when a proposal arrives; absent when the file does not exist. */
export interface CurrentText {
  text: string;
  languageId: string;
}

/** A proposal with its hunks where they belong in what the files hold now. */
export function openProposal(
  id: string,
  proposal: EditProposal,
  current: ReadonlyMap<string, CurrentText>,
): PendingProposal {
  let hunkCount = 0;
  const nextId = () => `${id}.${++hunkCount}`;
  const files = proposal.changes.map((change) => openFile(change, current.get(change.path), nextId));
  return { id, proposal, same: [], files, hunkCount };
}

function openFile(change: ProposedChange, current: CurrentText | undefined, nextId: () => string): ReviewedFile {
  const { path, before = "", after = "", movedTo, follows } = change;
  const kind = kindOf(change);
  const proposed = kind === "update" ? diffLines(before, after) : [wholeFile(before, after)];
  const file: ReviewedFile = {
    path,
    change: kind,
    languageId: current?.languageId ?? "",
    lines: editorLines(before),
    lineEnd: usualLineEnd(splitPieces(before)),
    hunks: proposed.map((hunk) => reviewedHunk(nextId(), hunk)),
    changedByUser: false,
    proposed,
    ...(movedTo === undefined ? {} : { movedTo }),
    ...(follows === undefined ? {} : { follows }),
  };
  if (kind === "add" || movedTo !== undefined) return file;
  const lines = editorLines(current?.text ?? "");
  return sameLines(lines, file.lines) ? file : withText(file, lines, editsBetween(file.lines, lines));
}

function kindOf({ before, after, movedTo }: ProposedChange): ReviewedFile["change"] {
  if (movedTo !== undefined) return "delete";
  return before === undefined ? "add" : after === undefined ? "delete" : "update";
}

/** A file is added or deleted as a whole: one hunk, even when it is empty. */
export function wholeFile(before: string, after: string): ExactHunk {
  return {
    oldStart: 1,
    oldLines: linesOf(before),
    oldText: before,
    newStart: 1,
    newLines: linesOf(after),
    newText: after,
  };
}

function linesOf(text: string): string[] {
  const lines = editorLines(text);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** A hunk nobody has answered, at the lines that it replaces. */
export function reviewedHunk(id: string, hunk: ExactHunk): ReviewedHunk {
  const start = hunk.oldStart - 1;
  return { id, hunk, extent: { start, end: start + hunk.oldLines.length }, conflicted: false, decision: "pending" };
}
