import { lineEndOf, lineOf, splitPieces } from "../../changes/model/pieces.ts";
import { EditError } from "./editError.ts";
import { foldFile } from "./editedBlock.ts";
import { foldedLine } from "./foldedLines.ts";
import { joinLines, type LineEnd, majorityLineEnd } from "./keepLineEnds.ts";
import { withoutByteOrderMark } from "./normalizedText.ts";
import { type PatchChunk, type PatchSection, parsePatch } from "./parsePatch.ts";
import { placeChunks } from "./placeChunks.ts";
import { placeholderLines } from "./placeholders.ts";

/** What a patch makes of one file. `overwrites`: the file that is added or moved to exists already. */
export interface FileChange {
  path: string;
  kind: "add" | "update" | "delete";
  before?: string;
  after?: string;
  movedTo?: string;
  overwrites?: boolean;
  /** In what the lines of the patch differ from the file's, where that did not matter. */
  ignored?: string[];
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
  const { text: after, ignored } = patchText(section, before);
  const { movedTo } = section;
  const change: FileChange = { path, kind: "update", before, after, ...(ignored.length > 0 && { ignored }) };
  if (movedTo === undefined) return change;
  const overwrites = (await read(movedTo)) !== undefined;
  return { ...change, movedTo, ...(overwrites ? { overwrites } : {}) };
}

/** What the section of one file makes of its text; throws an `EditError` where it does not fit. */
export function patchText(
  { path, chunks }: { path: string; chunks: readonly PatchChunk[] },
  original: string,
): { text: string; ignored: string[] } {
  const { mark, text } = withoutByteOrderMark(original);
  const pieces = splitPieces(text);
  const inserted = chunks.flatMap((chunk) =>
    chunk.lines.filter((line) => line.kind === "insert").map((line) => line.text),
  );
  refusePlaceholders(path, inserted.join("\n"), text);
  const blocks = placeChunks(path, foldFile(pieces.map(lineOf), foldedLine, path), chunks);
  let cursor = 0;
  const result: (number | string)[] = [];
  for (const block of blocks) {
    for (; cursor < block.start; cursor++) result.push(cursor);
    result.push(...block.lines);
    cursor = block.end;
  }
  for (; cursor < pieces.length; cursor++) result.push(cursor);
  const ignored = [...new Set(blocks.flatMap((block) => block.ignored))];
  return { text: mark + written(result, pieces, majorityLineEnd(text) ?? "\n"), ignored };
}

/** Lines that stay keep their bytes, new ones take the file's line end; whether the file ends with one stays as it was. */
function written(lines: readonly (number | string)[], pieces: readonly string[], lineEnd: LineEnd): string {
  const endsOpen = pieces.length > 0 && lineEndOf(pieces.at(-1) ?? "") === "";
  const result: string[] = [];
  for (const [index, line] of lines.entries()) {
    const piece = typeof line === "number" ? (pieces[line] ?? "") : line + lineEnd;
    const isLast = index === lines.length - 1;
    const closed = lineEndOf(piece) === "" ? piece + lineEnd : piece;
    result.push(isLast && endsOpen ? lineOf(piece) : closed);
  }
  return joinLines(result);
}

function refusePlaceholders(path: string, text: string, before: string): void {
  const [line] = placeholderLines(text, before);
  if (line === undefined) return;
  throw new EditError("placeholder", `${path}: "${line}" stands for code left out. Write the code itself.`);
}
