import type { AppliedHunk, OwnedLine } from "./appliedEdits.ts";

/**
 * Lines that the user typed in place of a hunk's, and that are the ones it had removed, are those lines again: an undo
 * in the editor arrives as many small edits, each of which says too little.
 */
export function recognised(
  lines: readonly OwnedLine[],
  hunks: readonly AppliedHunk[],
  typed: ReadonlySet<OwnedLine>,
): readonly OwnedLine[] {
  if (typed.size === 0) return lines;
  const standing = new Set(lines.flatMap(({ by, isLive }) => (isLive && by !== undefined ? [by] : [])));
  return hunks
    .filter(({ id }) => !standing.has(id))
    .reduce<readonly OwnedLine[]>((current, hunk) => takenBack(current, hunk, typed) ?? current, lines);
}

function takenBack(
  lines: readonly OwnedLine[],
  { id, hunk }: AppliedHunk,
  typed: ReadonlySet<OwnedLine>,
): OwnedLine[] | undefined {
  const isOwn = ({ by, goneBy }: OwnedLine) => by === id || goneBy === id;
  const first = lines.findIndex(isOwn);
  const last = lines.findLastIndex(isOwn);
  const own = lines.slice(first, last + 1).filter(isOwn);
  if (own.some(({ by, isLive }) => by === id && isLive) || own.every(({ isLive, by }) => isLive || by === id)) {
    return undefined;
  }
  const place = placeOf(lines, { first, last, length: hunk.oldLines.length });
  const live = place.filter(({ isLive }) => isLive);
  const isSame = live.length === hunk.oldLines.length && live.every(({ text }, at) => text === hunk.oldLines[at]);
  if (!isSame || !live.every((line) => typed.has(line) || line.goneBy === id)) return undefined;
  const back = place.filter((line) => !line.isLive || isOwn(line)).map((line) => lineBack(line, id));
  return [...lines.slice(0, first), ...back, ...lines.slice(first + place.length)];
}

interface Place {
  first: number;
  last: number;
  length: number;
}

/** From the hunk's first line on as far as there are live lines enough, and at least up to its last. */
function placeOf(lines: readonly OwnedLine[], { first, last, length }: Place): OwnedLine[] {
  const place: OwnedLine[] = [];
  let live = 0;
  for (let index = first; index < lines.length && (index <= last || live < length); index++) {
    const line = lines[index];
    if (line === undefined) break;
    place.push(line);
    if (line.isLive) live += 1;
  }
  return place;
}

function lineBack(line: OwnedLine, id: string): OwnedLine {
  return line.goneBy === id ? { ...line, isLive: true } : line;
}
