import { EditError } from "./editError.ts";
import type { EditLine } from "./editedBlock.ts";

/** One file's section of a patch. */
export type PatchSection =
  | { kind: "add"; path: string; lines: string[] }
  | { kind: "delete"; path: string }
  | { kind: "update"; path: string; movedTo?: string; chunks: PatchChunk[] };

/** A run of lines to find and what becomes of them. */
export interface PatchChunk {
  /** Lines that are somewhere before it, in order: "@@ class A", "@@ method b". */
  anchors: string[];
  lines: EditLine[];
  /** The line of the patch that its first line is. */
  firstLine: number;
  /** The lines end the file. */
  atEnd: boolean;
}

const begin = "*** Begin Patch";
const end = "*** End Patch";
const headers = "*** Add File: PATH, *** Update File: PATH or *** Delete File: PATH";

/**
 * Reads the `*** Begin Patch` format. Blanks around markers and headers are forgiven, so are a missing end, a code fence
 * or a shell's heredoc around the patch, blank lines between sections and lines to keep without the blank before them.
 */
export function parsePatch(patch: string): PatchSection[] {
  const { body, firstLine } = patchBody(patch.trim().split(/\r?\n/));
  const sections: PatchSection[] = [];
  for (let at = 0; at < body.length; ) {
    const header = body[at] ?? "";
    if (header.trim() === "") {
      at++;
      continue;
    }
    const length = sectionLength(body, at);
    sections.push(parseSection(header.trim(), body.slice(at + 1, at + length), firstLine + at));
    at += length;
  }
  if (sections.length === 0) throw malformed(`The patch is empty. Give at least one of ${headers}.`);
  return sections;
}

/** The lines between the markers. */
function patchBody(lines: readonly string[]): { body: string[]; firstLine: number } {
  const start = lines.findIndex((line) => line.trim() === begin);
  if (start < 0 || !lines.slice(0, start).every(isWrapping)) throw malformed(`The patch has to begin with "${begin}".`);
  let last = lines.findIndex((line, index) => index > start && line.trim() === end);
  if (last < 0) {
    last = lines.length;
    if (start > 0 && isWrapping(lines.at(-1) ?? "")) last--;
  } else if (!lines.slice(last + 1).every(isWrapping)) throw malformed(`The patch has to end with "${end}".`);
  return { body: lines.slice(start + 1, last), firstLine: start + 2 };
}

/** A line of a code fence or of a heredoc: "```diff", "apply_patch <<'EOF'", "EOF". */
function isWrapping(line: string): boolean {
  return /^\s*(?:```\w*|(?:.*\bapply_patch\b.*)?<<-?\s*['"]?\w+['"]?|[A-Z_]{2,}['"]?)?\s*$/.test(line);
}

function parseSection(header: string, lines: readonly string[], line: number): PatchSection {
  const [, verb, rest = ""] = /^\*\*\* (Add|Delete|Update) File: (.*)$/.exec(header) ?? [];
  const path = rest.trim();
  if (path === "") throw malformed(`Line ${line}: ${JSON.stringify(header)} is no header. Valid are ${headers}.`);
  const content = withoutTrailingBlank(lines);
  if (verb === "Delete") {
    if (content.length > 0) throw malformed(`Line ${line + 1}: a deleted file has no lines.`);
    return { kind: "delete", path };
  }
  if (verb === "Add") {
    const wrong = content.findIndex((text) => !text.startsWith("+"));
    if (wrong >= 0) throw malformed(`Line ${line + 1 + wrong}: each line of an added file begins with +.`);
    return { kind: "add", path, lines: content.map((text) => text.slice(1)) };
  }
  const [, movedTo] = /^\s*\*\*\* Move to: (.*)$/.exec(content[0] ?? "") ?? [];
  const chunks = parseChunks(content.slice(movedTo === undefined ? 0 : 1), line + (movedTo === undefined ? 1 : 2));
  if (chunks.length === 0) throw malformed(`Line ${line}: the update of ${path} is empty.`);
  return { kind: "update", path, chunks, ...(movedTo === undefined ? {} : { movedTo: movedTo.trim() }) };
}

/** The chunks that change something; if none does, the lines to keep alone are no patch. */
function parseChunks(lines: readonly string[], firstLine: number): PatchChunk[] {
  const chunks: PatchChunk[] = [];
  let chunk: PatchChunk = { anchors: [], lines: [], firstLine, atEnd: false };
  for (const [index, text] of lines.entries()) {
    if (text.trim() === "*** End of File") chunk.atEnd = true;
    else if (text.startsWith("@@")) {
      if (chunk.lines.some((line) => line.text.trim() !== "" || line.kind !== "keep")) {
        chunks.push(chunk);
        chunk = { anchors: [], lines: [], firstLine, atEnd: false };
      }
      const anchor = text
        .slice(2)
        .replace(/\s*@@\s*$/, "")
        .trim();
      // The line numbers of a unified diff are no lines of the file.
      if (anchor !== "" && !/^-\d+(?:,\d+)? \+\d+(?:,\d+)?$/.test(anchor)) chunk.anchors.push(anchor);
      chunk.firstLine = firstLine + index + 1;
      chunk.lines = [];
    } else chunk.lines.push(parseLine(text));
  }
  chunks.push(chunk);
  return chunks.filter(({ lines }) => lines.some(({ kind }) => kind !== "keep"));
}

function parseLine(text: string): EditLine {
  if (text.startsWith(" ")) return { kind: "keep", text: text.slice(1), raw: text };
  if (text.startsWith("-")) return { kind: "remove", text: text.slice(1) };
  if (text.startsWith("+")) return { kind: "insert", text: text.slice(1) };
  return { kind: "keep", text, isUnmarked: true };
}

/** Up to the next header. A line of a file begins with a sign, a blank too: only deeper padding is forgiven. */
function sectionLength(lines: readonly string[], start: number): number {
  const header = /^\*\*\* (?!Move to:|End of File)|^\s{2,}\*\*\* (?:Add|Delete|Update) File: /;
  const next = lines.findIndex((text, index) => index > start && header.test(text));
  return (next < 0 ? lines.length : next) - start;
}

function withoutTrailingBlank(lines: readonly string[]): string[] {
  const kept = [...lines];
  while (kept.at(-1) === "") kept.pop();
  return kept;
}

function malformed(message: string): EditError {
  return new EditError("malformed", message);
}
