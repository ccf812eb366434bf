import type { AppliedFile, AppliedHunk, OwnedLine } from "./appliedEdits.ts";
import { isRemembered } from "./ownedLines.ts";

/**
 * One hunk where an agent wrote over its own: a person decides about what became of the lines, not about every try on
 * the way. `editId` is the write that may have done so.
 */
export function coalesced(file: AppliedFile, editId: string): AppliedFile {
  const fresh = file.hunks.filter(({ author, kind }) => author.editId === editId && kind === "update");
  return fresh.reduce((current, later) => {
    const [earlier, ...others] = current.hunks.filter((hunk) => isOwnBelow(current.lines, hunk, later));
    if (earlier === undefined || others.length > 0 || isEntangled(current.lines, earlier, later)) return current;
    return merged(current, earlier, later);
  }, file);
}

/** Somebody else's hunk stands among both: it may build on the one and lie under the other. */
function isEntangled(lines: readonly OwnedLine[], earlier: AppliedHunk, later: AppliedHunk): boolean {
  const isTheirs = (id: string | undefined) => id === earlier.id || id === later.id;
  const touches = ({ by, goneBy }: OwnedLine) => isTheirs(by) || isTheirs(goneBy);
  const among = lines.slice(lines.findIndex(touches), lines.findLastIndex(touches) + 1);
  return among.some(({ by, goneBy }) => [by, goneBy].some((id) => id !== undefined && !isTheirs(id)));
}

/** An earlier hunk of the same agent that this one replaced lines of, or put lines into. */
function isOwnBelow(lines: readonly OwnedLine[], earlier: AppliedHunk, later: AppliedHunk): boolean {
  const isSame = earlier.author.agentIds.at(-1) === later.author.agentIds.at(-1);
  if (!isSame || earlier.author.editId === later.author.editId || earlier.kind === "delete") return false;
  const first = lines.findIndex(({ by }) => by === earlier.id);
  const last = lines.findLastIndex(({ by }) => by === earlier.id);
  return lines.some(
    ({ by, goneBy }, index) =>
      (by === earlier.id && goneBy === later.id) || (by === later.id && index > first && index < last),
  );
}

/** The earlier hunk does at once what both did. */
function merged(file: AppliedFile, earlier: AppliedHunk, later: AppliedHunk): AppliedFile {
  const lines = file.lines
    .filter(({ by, goneBy }) => !(by === earlier.id && goneBy === later.id))
    .map((line) => ({
      ...line,
      ...(line.by === later.id ? { by: earlier.id } : {}),
      ...(line.goneBy === later.id ? { goneBy: earlier.id } : {}),
    }));
  const old = lines.filter(({ goneBy }) => goneBy === earlier.id);
  const now = lines.filter(({ by }) => by === earlier.id);
  const hunk = {
    ...earlier.hunk,
    oldLines: old.map(({ text }) => text),
    oldText: old.map(({ text, end }) => text + end).join(""),
    newLines: now.map(({ text }) => text),
    newText: now.map(({ text, end }) => text + end).join(""),
  };
  const rest = file.hunks.filter(({ id }) => id !== later.id);
  if (hunk.oldText === hunk.newText && earlier.kind === "update") {
    return { ...file, lines: takenBack(lines, earlier.id), hunks: rest.filter(({ id }) => id !== earlier.id) };
  }
  return { ...file, lines, hunks: rest.map((each) => (each.id === earlier.id ? { ...earlier, hunk } : each)) };
}

/** The agent put back what it had removed. */
function takenBack(lines: readonly OwnedLine[], id: string): OwnedLine[] {
  return lines
    .filter(({ by }) => by !== id)
    .map(({ goneBy, ...line }): OwnedLine => {
      if (goneBy === id) return { ...line, isLive: true };
      return { ...line, ...(goneBy === undefined ? {} : { goneBy }) };
    })
    .filter(isRemembered);
}
