import { type Edit, editsFor } from "./lineChanges.ts";
import type { ReplaceRequest } from "./replaceRequest.ts";

export type Replacement = Pick<ReplaceRequest, "from" | "to" | "insideWords">;

const wordCharacter = /[\p{L}\p{N}_$]/u;

/** Where a text stands in a line as words of its own, and how often it is only part of a longer one. */
export function findWords(line: string, text: string): { starts: number[]; insideOthers: number } {
  const starts: number[] = [];
  let insideOthers = 0;
  for (let at = line.indexOf(text); at >= 0; at = line.indexOf(text, at + text.length)) {
    if (isInsideWord(line, at, text)) insideOthers++;
    else starts.push(at);
  }
  return { starts, insideOthers };
}

/** The line with the text replaced where it is a word of its own. */
export function replaceWords(line: string, { from, to }: Pick<Replacement, "from" | "to">): string {
  let result = "";
  let copied = 0;
  for (const start of findWords(line, from).starts) {
    result += line.slice(copied, start) + to;
    copied = start + from.length;
  }
  return result + line.slice(copied);
}

/** The edits that replace a text in a file: one for all places, or line by line where longer words stay as they are. */
export function wordEdits(lines: readonly string[], { from, to, insideWords }: Replacement): Edit[] {
  const found = lines.map((line) => findWords(line, from));
  const hasWords = found.some(({ starts }) => starts.length > 0);
  const hasOthers = found.some(({ insideOthers }) => insideOthers > 0);
  if (insideWords ? !hasWords && !hasOthers : !hasWords) return [];
  if (insideWords || !hasOthers) return [{ old_text: from, new_text: to, replace_all: true }];
  const changes = found.flatMap(({ starts }, index) => {
    const line = index + 1;
    return starts.length === 0
      ? []
      : [{ start: line, end: line, lines: [replaceWords(lines[index] ?? "", { from, to })] }];
  });
  return editsFor(lines, changes);
}

/** A letter next to a letter makes one word; `(` next to a letter does not. */
function isInsideWord(line: string, at: number, text: string): boolean {
  const before = line[at - 1] ?? "";
  const after = line[at + text.length] ?? "";
  const joinsBefore = wordCharacter.test(before) && wordCharacter.test(text[0] ?? "");
  const joinsAfter = wordCharacter.test(after) && wordCharacter.test(text.at(-1) ?? "");
  return joinsBefore || joinsAfter;
}
