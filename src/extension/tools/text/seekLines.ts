/** How freely a line may differ: not at all, in trailing blanks, in blanks around it, in look-alike characters. */
const foldings: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) => lookAlikes(line.trim()),
];

/** Where `wanted` stands in `lines` at or after `from`, by the strictest folding that finds it. */
export function seekLines(
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
