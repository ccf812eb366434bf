import { oddBlanks, unseenCharacters } from "../../protocol/unseen.ts";

const unseen = new RegExp(`[${unseenCharacters}]|${oddBlanks}`, "gu");

/** A name, path or command with every character that cannot be seen written out as its code point. */
export function visible(text: string): string {
  return text.replace(unseen, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The same for what has lines of its own, as arguments and commands have: lines and tabs stay. */
export function visibleLines(text: string): string {
  return text.replace(/[^\r\n\t]+|\r(?!\n)/g, visible);
}

/** The start of a text on one line, for a preview. */
export function oneLine(text: string, length: number): string {
  const line = text
    .slice(0, length * 2)
    .replace(/\s+/g, " ")
    // A picture's variant, which decides nothing.
    .replace(/(?<=\p{Extended_Pictographic})\ufe0f/gu, "")
    .trim();
  return visible(line.length > length ? `${line.slice(0, length - 1)}…` : line);
}

/** The start of a text that shall not fill the panel; undefined when all of it is short enough. */
export function clipped(text: string, limits: { lines: number; characters: number }): string | undefined {
  let end = 0;
  for (let line = 0; line < limits.lines; line++) {
    const next = text.indexOf("\n", end);
    end = next < 0 ? text.length : next + 1;
    if (end >= text.length) break;
  }
  const head = text.slice(0, Math.min(end, limits.characters)).trimEnd();
  return text.trimEnd().length > head.length ? head : undefined;
}

/** One line of Markdown without the marks of lists, headings, code and emphasis. */
export function plainLine(line: string): string {
  return line.replace(/^\s*(?:[#>]+|[-*+]|\d+\.)\s+/, "").replace(/\*\*|`/g, "");
}
