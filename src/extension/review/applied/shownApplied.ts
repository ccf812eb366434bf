import type { Extent } from "../hunks/lineEdit.ts";
import type { AppliedFile, AppliedHunk } from "./appliedEdits.ts";
import { placesOf } from "./ownedLines.ts";
import { canUndo, isTakenBack } from "./undoHunks.ts";

/** A pending hunk as the editor shows it. */
export interface ShownApplied {
  id: string;
  hunk: AppliedHunk;
  /** Where it stands, in lines of the current text; empty where it only removed. */
  place: Extent;
  /** Like `main › edit`. */
  agents: string;
  /** Like `+1 −5`. */
  count: string;
  isUndoable: boolean;
}

export function shownApplied(file: AppliedFile): ShownApplied[] {
  const places = placesOf(file);
  return file.hunks
    .filter((hunk) => !isTakenBack(file, hunk))
    .map((hunk) => ({
      id: hunk.id,
      hunk,
      place: places.get(hunk.id) ?? { start: 0, end: 0 },
      agents: hunk.author.agentPath.join(" › "),
      count: countOf(hunk),
      isUndoable: canUndo(file, hunk),
    }));
}

function countOf({ kind, hunk, movedFrom }: AppliedHunk): string {
  if (kind === "move") return `moved from ${movedFrom}`;
  return `+${hunk.newLines.length} −${hunk.oldLines.length}`;
}
