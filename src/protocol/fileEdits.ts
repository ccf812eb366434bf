import { isRecord } from "./records.ts";

/** A hunk of a finished edit. */
export interface EditedHunk {
  /** In the file before the edit, from 1. */
  line: number;
  oldLines: readonly string[];
  newLines: readonly string[];
  /** Why it is not in the file; absent for one that was written. */
  left?: "rejected" | "conflicted" | "unanswered";
  /** The user's reason for a rejection. */
  reason?: string;
}

/** What became of an edit of one file. The details of an edit tool's result have a list of these as `files`. */
export interface FileEdit {
  path: string;
  change: "add" | "update" | "delete" | "move";
  movedTo?: string;
  /** How many hunks. */
  accepted: number;
  rejected: number;
  /** Lines that were written. */
  added: number;
  removed: number;
  /** Absent in previews, and where the file holds what its agent may not see. */
  hunks?: readonly EditedHunk[];
  /** Lines that the hunks lack, because there are too many. */
  omittedLines?: number;
}

const maxLines = 200;
const maxLineLength = 400;

/** The hunks as far as they are stored with a result. */
export function clipHunks(hunks: readonly EditedHunk[]): Pick<FileEdit, "hunks" | "omittedLines"> {
  const kept: EditedHunk[] = [];
  let room = maxLines;
  let omitted = 0;
  for (const hunk of hunks) {
    const oldLines = hunk.oldLines.slice(0, room).map(clipLine);
    room -= oldLines.length;
    const newLines = hunk.newLines.slice(0, room).map(clipLine);
    room -= newLines.length;
    omitted += hunk.oldLines.length - oldLines.length + hunk.newLines.length - newLines.length;
    const isEmpty = oldLines.length + newLines.length === 0 && hunk.oldLines.length + hunk.newLines.length > 0;
    if (!isEmpty) kept.push({ ...hunk, oldLines, newLines });
  }
  return { hunks: kept, ...(omitted > 0 && { omittedLines: omitted }) };
}

function clipLine(line: string): string {
  return line.length <= maxLineLength ? line : `${line.slice(0, maxLineLength)}…`;
}

/** The edits that a tool's result lists; none for what other tools, other versions or damaged logs say. */
export function fileEditsIn(details: unknown): readonly FileEdit[] {
  if (!isRecord(details) || !Array.isArray(details.files)) return none;
  const { files } = details;
  // As `detailsOf` of the edit tools makes them.
  return files.every(isFileEdit) ? files : none;
}

const none: readonly FileEdit[] = [];

/** The same details without the lines. */
export function withoutLines(details: unknown): unknown {
  const files = fileEditsIn(details);
  if (files.length === 0) return details;
  return { files: files.map(({ hunks: _hunks, omittedLines: _omitted, ...file }) => file) };
}

function isFileEdit(file: unknown): file is FileEdit {
  if (!isRecord(file) || typeof file.path !== "string" || typeof file.change !== "string") return false;
  const { accepted, rejected, added, removed, hunks = [], movedTo = "" } = file;
  if (![accepted, rejected, added, removed].every(Number.isFinite) || typeof movedTo !== "string") return false;
  return Array.isArray(hunks) && hunks.every(isHunk);
}

function isHunk(hunk: unknown): hunk is EditedHunk {
  if (!isRecord(hunk) || typeof hunk.line !== "number") return false;
  return isTextList(hunk.oldLines) && isTextList(hunk.newLines) && typeof (hunk.reason ?? "") === "string";
}

function isTextList(list: unknown): list is string[] {
  return Array.isArray(list) && list.every((line) => typeof line === "string");
}
