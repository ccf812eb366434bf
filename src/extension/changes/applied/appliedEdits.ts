import type { RemovedFile } from "../../workspace/workspace.ts";
import type { ExactHunk } from "../model/diffLines.ts";

/** Who wrote a hunk: ids and names from the root agent down. */
export interface Author {
  agentIds: readonly string[];
  agentPath: readonly string[];
  /** The same for all that one tool call wrote. */
  editId: string;
}

/** A written change that may still be kept or undone. */
export interface AppliedHunk {
  id: string;
  author: Author;
  /** What undoing it does to the file, beside giving back the lines. */
  kind: "update" | "add" | "delete" | "move";
  /** As it was written; a move changes no lines. */
  hunk: ExactHunk;
  /** Where a moved file was. */
  movedFrom?: string;
  /** What a deleted file was beside its text. */
  removed?: RemovedFile;
}

/**
 * A line that stands in the file, or stood there and may come back. Its origin is kept with it, not computed from
 * places: whatever is typed, kept or undone around it in whatever order, each line stays where it belongs.
 */
export interface OwnedLine {
  text: string;
  /** Its line end; empty for a last line without one. */
  end: string;
  isLive: boolean;
  /** The pending hunk that wrote it. */
  by?: string;
  /** The pending hunk that removed it; it may be live all the same, when the user brought it back. */
  goneBy?: string;
}

/** A file with pending hunks. Immutable. */
export interface AppliedFile {
  path: string;
  /** Of the file as it is in the editor; empty when it is not known. */
  languageId: string;
  /** The live ones are the lines of the current text. */
  lines: readonly OwnedLine[];
  /** In the order they were written. */
  hunks: readonly AppliedHunk[];
}
