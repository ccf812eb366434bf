import { visibleText } from "../../approvals/requestText.ts";
import type { ChangedWords, WordRange } from "./changedWords.ts";

/** More lines than this are left to the diff: a comment should not push the code out of sight. */
export const maxShownLines = 12;
/** Of one line; the rest of a longer one is left to the diff. */
const maxCharacters = 400;
/** A piece of a line that is longer than this may be broken where it does not fit. */
const maxUnbroken = 24;

interface HunkHtmlOptions {
  words: ChangedWords;
  /** The theme has no background colours for what is added: changed words are underlined there. */
  isHighContrast: boolean;
}

/**
 * The new lines as they would be in a diff, for a comment's markdown: green, with a `+`, the changed words marked. The
 * editor lets nothing through but spans with colours, within which it breaks no line; so each word has a span of its
 * own, and lines wrap between them. One block of HTML, in which markdown renders nothing.
 */
export function hunkHtml(newLines: readonly string[], { words, isHighContrast }: HunkHtmlOptions): string {
  const rows = newLines.slice(0, maxShownLines).map((line, index) => {
    const marked = words.new.filter((range) => range.line === index);
    const text = line.length > maxCharacters ? `${line.slice(0, maxCharacters)}…` : line;
    return (
      added("+ ", lineColor) +
      parts(text, marked)
        .map((part) => partHtml(part, isHighContrast))
        .join("")
    );
  });
  return `<div><code>${rows.join("<br>")}</code></div>`;
}

const lineColor = "diffEditor-insertedLineBackground";
const wordColor = "diffEditor-insertedTextBackground";

interface Part {
  text: string;
  isMarked: boolean;
}

/** A line in pieces between which it may be broken. */
function parts(line: string, marked: readonly WordRange[]): Part[] {
  const ends = marked.flatMap(({ start, end }) => [start, end]).filter((at) => at <= line.length);
  const cuts = [...new Set([0, ...ends, line.length])].sort((one, other) => one - other);
  return cuts.slice(0, -1).flatMap((start, index) => {
    const isMarked = marked.some((range) => range.start <= start && start < range.end);
    const text = line.slice(start, cuts[index + 1]);
    return pieces(text).map((piece) => ({ text: piece, isMarked }));
  });
}

/** Words with the blanks that follow them; what is longer is cut. */
function pieces(text: string): string[] {
  const words = text.match(/^\s+|\S+\s*/g) ?? [];
  return words.flatMap((word) => word.match(new RegExp(`[^]{1,${maxUnbroken}}`, "gu")) ?? []);
}

function partHtml({ text, isMarked }: Part, isHighContrast: boolean): string {
  if (!isMarked) return added(text, lineColor);
  return isHighContrast ? `<ins>${added(text, wordColor)}</ins>` : added(text, wordColor);
}

function added(text: string, color: string): string {
  return `<span style="background-color:var(--vscode-${color});">${escaped(text)}</span><wbr>`;
}

/** With nothing hidden in it; and the editor would make an icon of `$(name)`. */
function escaped(text: string): string {
  const shown = text.split("\t").map(visibleText).join("    ");
  return shown.replace(/[&<>"$]/g, (character) => `&#${character.codePointAt(0)};`);
}
