import {
  type EditProposal,
  type OpenProposal,
  type ProposedChange,
  type ProposedFile,
  type ProposedHunk,
  pendingHunks,
} from "./change.ts";
import { diffLines, type ExactHunk, wholeFile } from "./diffLines.ts";
import { proposedText } from "./fitHunks.ts";
import { editsBetween, withText } from "./lineEdit.ts";
import { editorLines, lineEndOf, lineOf, sameLines, splitPieces, usualLineEnd } from "./pieces.ts";
import { diffSequences } from "./sequenceDiff.ts";

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
): OpenProposal {
  let hunkCount = 0;
  const nextId = () => `${id}.${++hunkCount}`;
  const files = proposal.changes.map((change) => openFile(change, current.get(change.path), nextId));
  return { id, proposal, same: [], files, hunkCount };
}

function openFile(change: ProposedChange, current: CurrentText | undefined, nextId: () => string): ProposedFile {
  const { path, before = "", after = "", movedTo, follows } = change;
  const kind = kindOf(change);
  const proposed = kind === "update" ? diffLines(before, after) : [wholeFile(before, after)];
  const file: ProposedFile = {
    path,
    change: kind,
    languageId: current?.languageId ?? "",
    lines: editorLines(before),
    lineEnd: usualLineEnd(splitPieces(before)),
    hunks: proposed.map((hunk) => proposedHunk(nextId(), hunk)),
    changedByUser: false,
    proposed,
    ...(movedTo === undefined ? {} : { movedTo }),
    ...(follows === undefined ? {} : { follows }),
  };
  if (kind === "add" || movedTo !== undefined) return file;
  const lines = editorLines(current?.text ?? "");
  return sameLines(lines, file.lines) ? file : withText(file, lines, editsBetween(file.lines, lines));
}

function kindOf({ before, after, movedTo }: ProposedChange): ProposedFile["change"] {
  if (movedTo !== undefined) return "delete";
  return before === undefined ? "add" : after === undefined ? "delete" : "update";
}

/** A hunk nobody has answered, at the lines that it replaces. */
function proposedHunk(id: string, hunk: ExactHunk): ProposedHunk {
  const start = hunk.oldStart - 1;
  return { id, hunk, extent: { start, end: start + hunk.oldLines.length }, conflicted: false, decision: "pending" };
}

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
  proposal: OpenProposal,
  path: string,
  { edited, currentText }: EditedFile,
): OpenProposal | undefined {
  const file = proposal.files.find((candidate) => candidate.path === path);
  if (file === undefined || file.movedTo !== undefined) return undefined;
  const wanted = proposedText(file, currentText).text;
  const text = withLineEndsOf(wanted, edited);
  if (text === wanted) return undefined;
  let { hunkCount } = proposal;
  const pending = pendingHunks(file);
  const proposed = file.change === "add" ? [wholeFile("", text)] : diffLines(currentText, text);
  const hunks = proposed.map((hunk): ProposedHunk => {
    const fresh = proposedHunk("", hunk);
    const same = pending.find(({ extent }) => extent.start === fresh.extent.start && extent.end === fresh.extent.end);
    return { ...fresh, id: same?.id ?? `${proposal.id}.${++hunkCount}` };
  });
  const answered = file.hunks.filter((hunk) => hunk.decision !== "pending");
  const changed: ProposedFile = {
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
