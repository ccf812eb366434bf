import { lineEndOf, lineOf, splitPieces } from "../../changes/model/pieces.ts";
import { EditError } from "./editError.ts";
import { joinLines, type LineEnd, majorityLineEnd } from "./keepLineEnds.ts";
import { nearestLines } from "./nearestLines.ts";
import { withoutByteOrderMark } from "./normalizedText.ts";
import { type PatchChunk, type PatchSection, parsePatch } from "./parsePatch.ts";
import { placeholderLines } from "./placeholders.ts";

/** What a patch makes of one file. `overwrites`: the file that is added or moved to exists already. */
export interface FileChange {
  path: string;
  kind: "add" | "update" | "delete";
  before?: string;
  after?: string;
  movedTo?: string;
  overwrites?: boolean;
}

/**
 * What a patch in the `*** Begin Patch` format makes of the files that `read` gives; nothing is written. Throws an
 * `EditError` if any part fails, so that it is all files or none.
 */
export async function applyPatch(
  patch: string,
  read: (path: string) => Promise<string | undefined>,
): Promise<FileChange[]> {
  const sections = parsePatch(patch);
  const changes: FileChange[] = [];
  const touched = new Set<string>();
  for (const section of sections) {
    const paths = section.kind === "update" && section.movedTo ? [section.path, section.movedTo] : [section.path];
    for (const path of paths) {
      if (touched.has(path))
        throw new EditError("malformed", `The patch names ${path} twice. Put its changes in one section.`);
      touched.add(path);
    }
    changes.push(await changeOf(section, read));
  }
  return changes;
}

async function changeOf(
  section: PatchSection,
  read: (path: string) => Promise<string | undefined>,
): Promise<FileChange> {
  const { path, kind } = section;
  const before = await read(path);
  if (section.kind === "add") {
    const after = section.lines.map((line) => `${line}\n`).join("");
    refusePlaceholders(path, after, before ?? "");
    return { path, kind: "add", after, ...(before === undefined ? {} : { before, overwrites: true }) };
  }
  if (before === undefined)
    throw new EditError("missing-file", `${path} does not exist or is no file: it can't be ${kind}d.`);
  if (section.kind === "delete") return { path, kind: "delete", before };
  const after = patchText(section, before);
  const { movedTo } = section;
  if (movedTo === undefined) return { path, kind: "update", before, after };
  const overwrites = (await read(movedTo)) !== undefined;
  return { path, kind: "update", before, after, movedTo, ...(overwrites ? { overwrites } : {}) };
}

interface Change {
  start: number;
  end: number;
  /** Lines of the file that stay, by index, and new ones. */
  lines: (number | string)[];
}

/** What the section of one file makes of its text; throws an `EditError` where it does not fit. */
export function patchText({ path, chunks }: { path: string; chunks: readonly PatchChunk[] }, original: string): string {
  const { mark, text } = withoutByteOrderMark(original);
  const pieces = splitPieces(text);
  const lines = pieces.map(lineOf);
  const inserted = chunks.flatMap((chunk) =>
    chunk.lines.filter((line) => line.kind === "insert").map((line) => line.text),
  );
  refusePlaceholders(path, inserted.join("\n"), text);
  let cursor = 0;
  const result: (number | string)[] = [];
  for (const chunk of chunks) {
    const change = placeChunk(path, lines, chunk, cursor);
    for (let index = cursor; index < change.start; index++) result.push(index);
    result.push(...change.lines);
    cursor = change.end;
  }
  for (let index = cursor; index < lines.length; index++) result.push(index);
  return mark + written(result, pieces, majorityLineEnd(text) ?? "\n");
}

function placeChunk(path: string, lines: readonly string[], chunk: PatchChunk, cursor: number): Change {
  let from = cursor;
  for (const anchor of chunk.anchors) {
    const at = seekLines(lines, [anchor], from, false);
    if (at === undefined) throw noMatch(path, lines, anchor);
    from = at + 1;
  }
  const old = chunk.lines.filter((line) => line.kind !== "insert");
  if (old.length === 0) {
    const at = chunk.anchors.length > 0 ? from : lines.length;
    return { start: at, end: at, lines: chunk.lines.map((line) => line.text) };
  }
  const wanted = old.map((line) => line.text);
  const start = seekLines(lines, wanted, from, chunk.atEnd);
  if (start === undefined) {
    // A last blank line often stands for the final line end alone.
    const last = chunk.lines.at(-1);
    if (old.length > 1 && last?.kind === "keep" && last.text === "") {
      return placeChunk(path, lines, { ...chunk, lines: chunk.lines.slice(0, -1) }, cursor);
    }
    throw noMatch(path, lines, wanted.join("\n"));
  }
  let index = start;
  const kept: (number | string)[] = [];
  for (const line of chunk.lines) {
    if (line.kind === "insert") kept.push(line.text);
    else if (line.kind === "keep") kept.push(index++);
    else index++;
  }
  return { start, end: index, lines: kept };
}

/** Lines that stay keep their bytes, new ones take the file's line end; whether the file ends with one stays as it was. */
function written(lines: readonly (number | string)[], pieces: readonly string[], lineEnd: LineEnd): string {
  const endsOpen = pieces.length > 0 && lineEndOf(pieces.at(-1) ?? "") === "";
  let result = "";
  for (const [index, line] of lines.entries()) {
    const piece = typeof line === "number" ? (pieces[line] ?? "") : line + lineEnd;
    const isLast = index === lines.length - 1;
    const closed = lineEndOf(piece) === "" ? piece + lineEnd : piece;
    result = joinLines(result, isLast && endsOpen ? lineOf(piece) : closed);
  }
  return result;
}

function noMatch(path: string, lines: readonly string[], wanted: string): EditError {
  const nearest = nearestLines(lines.join("\n"), wanted);
  const shown = nearest === "" ? "Nothing there is like them." : `The nearest lines are:\n${nearest}`;
  return new EditError(
    "no-match",
    `${path}: these lines were not found:\n${wanted}\n${shown}\nRead the file and copy them exactly.`,
  );
}

function refusePlaceholders(path: string, text: string, before: string): void {
  const [line] = placeholderLines(text, before);
  if (line === undefined) return;
  throw new EditError("placeholder", `${path}: "${line}" stands for code left out. Write the code itself.`);
}

/** How freely a line may differ: not at all, in trailing blanks, in blanks around it, in look-alike characters. */
const foldings: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) => lookAlikes(line.trim()),
];

/** Where `wanted` stands in `lines` at or after `from`, by the strictest folding that finds it. */
function seekLines(
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
  atEnd: boolean,
): number | undefined {
  const first = atEnd ? Math.max(from, lines.length - wanted.length) : from;
  for (const fold of foldings) {
    const folded = wanted.map(fold);
    for (let at = first; at + wanted.length <= lines.length; at++) {
      if (folded.every((line, index) => line === fold(lines[at + index] ?? ""))) return at;
    }
  }
  return undefined;
}

/** Dashes, quotes and blanks that models type for each other. */
function lookAlikes(line: string): string {
  return line
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u2018-\u201B]/g, "'")
    .replace(/[\u201C-\u201F]/g, '"')
    .replace(/[\u00A0\u2002-\u200A\u202F\u205F\u3000]/g, " ");
}
