const maxLineLength = 400;
const shownLines = 12;

/** The lines of `text` most like `search`, numbered as the read tool numbers them; empty when nothing is like it. */
export function nearestLines(text: string, search: string): string {
  const lines = text.split("\n");
  const searchLines = search.split("\n").filter((line) => line.trim() !== "");
  const anchor = anchorLine(searchLines);
  if (anchor === undefined) return "";
  const likeness = likenessTo(anchor);
  let best = { index: -1, likeness: 0.4 };
  for (const [index, line] of lines.entries()) {
    const found = likeness(line);
    if (found > best.likeness) best = { index, likeness: found };
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

/**
 * How like a line is to another, from 0 to 1, by their neighbouring characters: Dice's measure is cheap and takes no
 * offence at a moved word.
 */
function likenessTo(anchor: string): (line: string) => number {
  const folded = foldedEnds(anchor);
  const ids = new Map<number, number>();
  const counts: number[] = [];
  for (let index = 0; index + 1 < folded.length; index++) {
    const pair = pairAt(folded, index);
    const id = ids.get(pair) ?? counts.length;
    ids.set(pair, id);
    counts[id] = (counts[id] ?? 0) + 1;
  }
  const used = new Array<number>(counts.length);
  return (line) => {
    const other = foldedEnds(line);
    if (other === "") return 0;
    used.fill(0);
    let shared = 0;
    for (let index = 0; index + 1 < other.length; index++) {
      const id = ids.get(pairAt(other, index));
      if (id === undefined) continue;
      const seen = used[id] ?? 0;
      if (seen === counts[id]) continue;
      used[id] = seen + 1;
      shared++;
    }
    return (2 * shared) / (folded.length + other.length - 2);
  };
}

/** The ends count as neighbours too: short words would share too little otherwise. */
function foldedEnds(line: string): string {
  const trimmed = line.trim();
  return trimmed === "" ? "" : `\n${trimmed.toLowerCase().slice(0, maxLineLength)}\n`;
}

function pairAt(text: string, index: number): number {
  return text.charCodeAt(index) * 0x1_00_00 + text.charCodeAt(index + 1);
}
