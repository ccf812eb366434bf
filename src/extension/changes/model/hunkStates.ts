import type { TrackedFile, WrittenHunk } from "./change.ts";
import type { Extent } from "./lineEdit.ts";

/** What has become of a written hunk in the text as it is now. */
interface HunkState {
  /** Where it is, in lines of the current text; empty where it only removed. */
  range: Extent;
  /** False when taking it back would lose or tear apart what somebody else wrote into its lines. */
  isUndoable: boolean;
  /** The user has put the old lines back by hand: there is nothing left to decide. */
  isUndone: boolean;
}

interface Found {
  /** Its new lines, as counted among all lines that pending hunks wrote. */
  first: number;
  last: number;
  count: number;
  /** How many of them are in the text. */
  live: number;
  /** How many lines that it removed are still gone, without those that came back and that the user typed over. */
  gone: number;
  isWrittenOver: boolean;
  written?: Extent;
  removed?: Extent;
}

/** All in one pass: a file may have thousands of lines, and this is asked with every key that is pressed in it. */
export function hunkStates({ lines, hunks }: Pick<TrackedFile, "lines" | "hunks">): ReadonlyMap<string, HunkState> {
  const found = new Map(hunks.map(({ id }) => [id, nothing()]));
  let line = 0;
  let owned = 0;
  for (const { isLive, by, goneBy, isTypedOver } of lines) {
    const writer = by === undefined ? undefined : found.get(by);
    if (writer !== undefined) {
      writer.first = writer.count === 0 ? owned : writer.first;
      writer.last = owned;
      writer.count += 1;
      if (goneBy !== undefined) writer.isWrittenOver = true;
      if (isLive) writer.live += 1;
      if (isLive) writer.written = { start: writer.written?.start ?? line, end: line + 1 };
      else writer.removed ??= { start: line, end: line };
      owned += 1;
    }
    const remover = goneBy === undefined ? undefined : found.get(goneBy);
    if (remover !== undefined) {
      remover.removed ??= { start: line, end: line };
      if (!isLive && isTypedOver !== true) remover.gone += 1;
    }
    if (isLive) line += 1;
  }
  return new Map(hunks.map((hunk) => [hunk.id, stateOf(hunk, found.get(hunk.id) ?? nothing())]));
}

function nothing(): Found {
  return { first: 0, last: -1, count: 0, live: 0, gone: 0, isWrittenOver: false };
}

function stateOf({ kind, hunk }: WrittenHunk, found: Found): HunkState {
  const { first, last, count, live, gone, isWrittenOver, written, removed } = found;
  const isUndone = kind === "update" && live === 0 && gone === 0;
  const isAmongOthers = last - first + 1 > count;
  // Lines that replaced others have to be there as they were written; lines that were only added may have changed.
  const isIntact = hunk.oldLines.length === 0 || live === hunk.newLines.length || isUndone;
  return {
    range: written ?? removed ?? { start: 0, end: 0 },
    isUndoable: isIntact && !isWrittenOver && !isAmongOthers,
    isUndone,
  };
}
