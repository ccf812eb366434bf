import { t } from "@vscode/l10n";
import {
  type OpenProposal,
  type ProposedFile,
  type ProposedHunk,
  pendingHunks,
  proposerNames,
  type WrittenFile,
  type WrittenHunk,
} from "./model/change.ts";
import { hunkStates } from "./model/hunkStates.ts";
import type { Extent } from "./model/lineEdit.ts";
import { identity } from "./model/scope.ts";

/** A pending hunk as the editor shows it: once, also when several agents ask for the same. */
export interface ShownHunk {
  proposalId: string;
  file: ProposedFile;
  hunk: ProposedHunk;
  /** Like `main › edit`; several are separated by commas. */
  agents: string;
}

/** All that wait, each once. */
export function shownHunks(proposals: readonly OpenProposal[]): ShownHunk[] {
  const shown = new Map<string, ShownHunk>();
  for (const proposal of proposals) {
    const { id: proposalId, files } = proposal;
    const agents = proposerNames(proposal);
    for (const file of files) {
      for (const hunk of pendingHunks(file)) {
        const key = JSON.stringify([file.path, file.change, file.movedTo ?? "", identity(hunk)]);
        const twin = shown.get(key);
        if (twin === undefined) shown.set(key, { proposalId, file, hunk, agents });
        else shown.set(key, { ...twin, agents: `${twin.agents}, ${agents}` });
      }
    }
  }
  return [...shown.values()];
}

/** Like `+1 −5`. */
export function countOf({ hunk }: ProposedHunk): string {
  return `+${hunk.newLines.length} −${hunk.oldLines.length}`;
}

/** What the hunk does, as the rest of a sentence that starts with its agent. */
export function deedOf({ change, movedTo }: ProposedFile, { hunk }: ProposedHunk): string {
  const [removed, added] = [hunk.oldLines.length, hunk.newLines.length];
  if (movedTo !== undefined) return t("moves this file to {0}", movedTo);
  if (change === "add") return t("adds this file with {0}", linesText(added));
  if (change === "delete") return t("deletes this file");
  if (removed === 0)
    return hunk.oldStart === 1 ? t("inserts {0} at the top", linesText(added)) : t("inserts {0}", linesText(added));
  if (added === 0) return t("deletes {0}", linesText(removed));
  if (hunk.oldLines.join("\n") === hunk.newLines.join("\n"))
    return t("changes the line ends of {0}", linesText(removed));
  return t("replaces {0} with {1}", linesText(removed), added);
}

function linesText(count: number): string {
  return count === 1 ? t("1 line") : t("{0} lines", count);
}

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
    return [{ id: hunk.id, hunk, place, agents, count: writtenCount(hunk), isUndoable }];
  });
}

function writtenCount({ kind, hunk, movedFrom }: WrittenHunk): string {
  if (kind === "move") return t("moved from {0}", movedFrom ?? "");
  return `+${hunk.newLines.length} −${hunk.oldLines.length}`;
}
