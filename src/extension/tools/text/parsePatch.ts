import { EditError } from "./editError.ts";

/** One file's section of a patch. */
export type PatchSection =
  | { kind: "add"; path: string; lines: string[] }
  | { kind: "delete"; path: string }
  | { kind: "update"; path: string; movedTo?: string; chunks: PatchChunk[] };

/** A run of lines to find and what becomes of them. */
export interface PatchChunk {
  /** Lines that stand somewhere before it, in order: "@@ class A", "@@ method b". */
  anchors: string[];
  lines: { kind: "keep" | "remove" | "insert"; text: string }[];
  /** The lines end the file. */
  atEnd: boolean;
}

const begin = "*** Begin Patch";
const end = "*** End Patch";
const headers = "*** Add File: PATH, *** Update File: PATH or *** Delete File: PATH";

/** Reads the `*** Begin Patch` format. Blanks around markers and headers are forgiven. */
export function parsePatch(patch: string): PatchSection[] {
  const lines = patch.trim().split(/\r?\n/);
  if (lines[0]?.trim() !== begin) throw malformed(`The patch has to begin with "${begin}".`);
  if (lines.length < 2 || lines.at(-1)?.trim() !== end) throw malformed(`The patch has to end with "${end}".`);
  const body = lines.slice(1, -1);
  const sections: PatchSection[] = [];
  for (let at = 0; at < body.length; ) {
    const header = body[at] ?? "";
    if (header.trim() === "") {
      at++;
      continue;
    }
    const length = sectionLength(body, at);
    sections.push(parseSection(header.trim(), body.slice(at + 1, at + length), at + 2));
    at += length;
  }
  if (sections.length === 0) throw malformed(`The patch is empty. Give at least one of ${headers}.`);
  return sections;
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
  const chunks = parseChunks(movedTo === undefined ? content : content.slice(1), line + 1);
  if (chunks.length === 0) throw malformed(`Line ${line}: the update of ${path} is empty.`);
  return { kind: "update", path, chunks, ...(movedTo === undefined ? {} : { movedTo: movedTo.trim() }) };
}

function parseChunks(lines: readonly string[], firstLine: number): PatchChunk[] {
  const chunks: PatchChunk[] = [];
  let chunk: PatchChunk = { anchors: [], lines: [], atEnd: false };
  const close = () => {
    if (chunk.lines.length > 0) chunks.push(chunk);
  };
  for (const [index, text] of lines.entries()) {
    if (text.trim() === "*** End of File") chunk.atEnd = true;
    else if (text.startsWith("@@")) {
      if (chunk.lines.length > 0) {
        close();
        chunk = { anchors: [], lines: [], atEnd: false };
      }
      const anchor = text
        .slice(2)
        .replace(/\s*@@\s*$/, "")
        .trim();
      // The line numbers of a unified diff are no lines of the file.
      if (anchor !== "" && !/^-\d+(?:,\d+)? \+\d+(?:,\d+)?$/.test(anchor)) chunk.anchors.push(anchor);
    } else chunk.lines.push(parseLine(text, firstLine + index));
  }
  close();
  return chunks;
}

function parseLine(text: string, line: number): PatchChunk["lines"][number] {
  if (text === "") return { kind: "keep", text };
  if (text.startsWith(" ")) return { kind: "keep", text: text.slice(1) };
  if (text.startsWith("-")) return { kind: "remove", text: text.slice(1) };
  if (text.startsWith("+")) return { kind: "insert", text: text.slice(1) };
  throw malformed(`Line ${line}: ${JSON.stringify(text)} begins with none of blank, -, + and @@.`);
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
