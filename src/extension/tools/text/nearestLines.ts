const maxLineLength = 400;
const shownLines = 12;

/** The lines of `text` most like `search`, numbered as the read tool numbers them; empty when nothing is like it. */
export function nearestLines(text: string, search: string): string {
  const lines = text.split("\n");
  const searchLines = search.split("\n").filter((line) => line.trim() !== "");
  const anchor = anchorLine(searchLines);
  if (anchor === undefined) return "";
  const pairs = pairsOf(anchor);
  let best = { index: -1, likeness: 0.4 };
  for (const [index, line] of lines.entries()) {
    const likeness = likenessOf(pairs, line);
    if (likeness > best.likeness) best = { index, likeness };
  }
  if (best.index < 0) return "";
  const before = searchLines.indexOf(anchor);
  const first = Math.max(0, best.index - Math.min(before, shownLines - 1));
  const last = Math.min(lines.length, first + Math.max(1, Math.min(searchLines.length, shownLines)));
  return lines
    .slice(first, last)
    .map((line, offset) => `${first + offset + 1}\t${line.slice(0, maxLineLength)}`)
    .join("\n");
}

/** Numbers of the lines of the offsets, like "3, 17 and 20". */
export function lineNumbers(text: string, offsets: readonly number[]): string {
  const shown = offsets.slice(0, 5).map((offset) => text.slice(0, offset).split("\n").length);
  const more = offsets.length - shown.length;
  if (more > 0) return `${shown.join(", ")} and ${more} more`;
  return [shown.slice(0, -1).join(", "), shown.at(-1)].filter((part) => part !== "").join(" and ");
}

function anchorLine(lines: readonly string[]): string | undefined {
  let best: string | undefined;
  for (const line of lines) if (best === undefined || line.trim().length > best.trim().length) best = line;
  return best;
}

/** Neighbouring characters with how often they occur: Dice's measure is cheap and takes no offence at a moved word. */
function pairsOf(line: string): Map<string, number> {
  const trimmed = line.trim();
  if (trimmed === "") return new Map();
  // The ends count as neighbours too: short words would share too little otherwise.
  const folded = `\n${trimmed.toLowerCase().slice(0, maxLineLength)}\n`;
  const pairs = new Map<string, number>();
  for (let index = 0; index + 1 < folded.length; index++) {
    const pair = folded.slice(index, index + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

function likenessOf(pairs: ReadonlyMap<string, number>, line: string): number {
  const others = pairsOf(line);
  let shared = 0;
  for (const [pair, count] of others) shared += Math.min(count, pairs.get(pair) ?? 0);
  const total = sizeOf(pairs) + sizeOf(others);
  return total === 0 ? 0 : (2 * shared) / total;
}

function sizeOf(pairs: ReadonlyMap<string, number>): number {
  let size = 0;
  for (const count of pairs.values()) size += count;
  return size;
}
