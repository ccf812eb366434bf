import { t } from "@vscode/l10n";
import type { WrittenFile, WrittenHunk } from "../model/change.ts";
import { hunkStates } from "../model/hunkStates.ts";
import type { Extent } from "../model/lineEdit.ts";

/** A pending hunk as the editor shows it. */
export interface ShownApplied {
  id: string;
  hunk: WrittenHunk;
  /** Where it stands, in lines of the current text; empty where it only removed. */
  place: Extent;
  /** Like `main › edit`. */
  agents: string;
  /** Like `+1 −5`. */
  count: string;
  isUndoable: boolean;
}

export function shownApplied(file: WrittenFile): ShownApplied[] {
  const states = hunkStates(file);
  return file.hunks.flatMap((hunk) => {
    const state = states.get(hunk.id);
    if (state === undefined || state.isTakenBack) return [];
    const { place, isUndoable } = state;
    const agents = hunk.author.agentPath.join(" › ");
    return [{ id: hunk.id, hunk, place, agents, count: countOf(hunk), isUndoable }];
  });
}

function countOf({ kind, hunk, movedFrom }: WrittenHunk): string {
  if (kind === "move") return t("moved from {0}", movedFrom ?? "");
  return `+${hunk.newLines.length} −${hunk.oldLines.length}`;
}
