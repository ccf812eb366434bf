import type { AppliedFile, AppliedHunk, OwnedLine } from "./appliedEdits.ts";

/**
 * One file's pending hunks together with others of the same file; both have the same text. Hunks whose lines are
 * somebody's pending hunk already are left out.
 */
export function withOthers(known: AppliedFile, added: AppliedFile, isHunk = isOwner): AppliedFile {
  const owners = known.lines.filter(({ isLive }) => isLive).map(({ by }) => (isHunk(by) ? by : undefined));
  const live = added.lines.filter(({ isLive }) => isLive);
  const isOwned = ({ id, author }: AppliedHunk) =>
    known.hunks.some((hunk) => hunk.id === id || hunk.author.editId === author.editId) ||
    live.some(({ by }, at) => by === id && owners[at] !== undefined);
  const fresh = added.hunks.filter((hunk) => !isOwned(hunk));
  const ids = new Set(fresh.map(({ id }) => id));
  return { ...known, lines: zipped(known.lines, added.lines, ids), hunks: [...known.hunks, ...fresh] };
}

const isOwner = (by: string | undefined): boolean => by !== undefined;

function zipped(known: readonly OwnedLine[], added: readonly OwnedLine[], ids: ReadonlySet<string>): OwnedLine[] {
  const result: OwnedLine[] = [];
  let at = 0;
  const isOf = (id: string | undefined) => id !== undefined && ids.has(id);
  for (const line of added) {
    if (!line.isLive) {
      if (isOf(line.by) || isOf(line.goneBy)) result.push(line);
      continue;
    }
    for (let other = known[at]; other !== undefined && !other.isLive; other = known[++at]) result.push(other);
    const other = known[at++];
    if (other === undefined) continue;
    result.push({ ...other, ...(isOf(line.by) && { by: line.by }), ...(isOf(line.goneBy) && { goneBy: line.goneBy }) });
  }
  return [...result, ...known.slice(at)];
}
