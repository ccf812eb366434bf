/** A line as it is compared with others. */
export type FoldLine = (line: string) => string;

/** Without blanks around it, and each run of blanks in it as one. */
export function withoutExtraBlanks(line: string): string {
  return line.replace(/^[ \t]+|[ \t]+$/g, "").replace(/[ \t]+/g, " ");
}

/** The same, with plain characters for those that models type for each other. */
export function foldedLine(line: string): string {
  return foldedLookAlikes(line).trim().replace(/\s+/g, " ");
}

/** Dashes, quotes and blanks that models type for each other, each as its plain character. */
function foldedLookAlikes(line: string): string {
  return line
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u2018-\u201B]/g, "'")
    .replace(/[\u201C-\u201F]/g, '"')
    .replace(/[\u00A0\u2002-\u200A\u202F\u205F\u3000]/g, " ");
}

/** A line's indentation and what follows it. The blank that aligns the star of a block comment belongs to the star. */
export function splitIndentation(line: string): { indentation: string; content: string } {
  const blanks = /^[ \t]*/.exec(line)?.[0] ?? "";
  const spaces = /[ ]*$/.exec(blanks)?.[0].length ?? 0;
  const width =
    spaces % 2 === 1 && /^\*(?:[ /*]|$)/.test(line.slice(blanks.length)) ? blanks.length - 1 : blanks.length;
  return { indentation: line.slice(0, width), content: line.slice(width) };
}

export function isBlank(line: string): boolean {
  return line.trim() === "";
}

/** A line as an edit copied it from the file, and as the file has it; both without their indentation. */
export interface CopiedLine {
  written: string;
  own: string;
}

/**
 * `next` with the file's own characters where it repeats most of a line of the file, whose characters the edit
 * copied wrong. Undefined when it differs from that line in those characters alone: it is not clear what was meant.
 */
export function withOwnCharacters(next: string, copied: readonly CopiedLine[]): string | undefined {
  const nextTokens = tokensOf(next);
  let best: { head: number; tail: number; own: readonly string[] } | undefined;
  for (const { written, own } of copied) {
    if (written.trimEnd() === own.trimEnd()) continue;
    const ownTokens = tokensOf(own);
    const { head, tail } = sameEnds(nextTokens, ownTokens);
    if (head === nextTokens.length && head === ownTokens.length)
      return next.trimEnd() === own.trimEnd() ? next : undefined;
    const needed = best === undefined ? ownTokens.length / 2 : best.head + best.tail;
    if (head + tail > needed) best = { head, tail, own: ownTokens };
  }
  if (best === undefined) return next;
  const { head, tail, own } = best;
  const changed = nextTokens.slice(head, nextTokens.length - tail);
  return [...own.slice(0, head), ...changed, ...own.slice(own.length - tail)].join("");
}

/** How many tokens are the same at the beginning, and behind these at the end. */
function sameEnds(one: readonly string[], other: readonly string[]): { head: number; tail: number } {
  const isSame = (a: string | undefined, b: string | undefined) =>
    a !== undefined && b !== undefined && folded(a) === folded(b);
  const length = Math.min(one.length, other.length);
  let head = 0;
  while (head < length && isSame(one[head], other[head])) head++;
  let tail = 0;
  while (tail < length - head && isSame(one.at(-1 - tail), other.at(-1 - tail))) tail++;
  return { head, tail };
}

function tokensOf(line: string): string[] {
  return line.trimEnd().match(/\s+|\S/gu) ?? [];
}

function folded(token: string): string {
  return foldedLookAlikes(token).replace(/\s+/g, " ");
}
