import { t } from "@vscode/l10n";
import type { ChangeStore } from "./changeStore.ts";
import {
  authorName,
  type OpenProposal,
  type ProposedFile,
  pendingHunks,
  proposerNames,
  type TrackedFile,
  type WrittenHunk,
} from "./model/change.ts";
import type { ExactHunk } from "./model/diffLines.ts";
import { canRebase } from "./model/fitHunks.ts";
import { hunkStates } from "./model/hunkStates.ts";
import type { Extent } from "./model/lineEdit.ts";
import { identity, isMoveAccepted } from "./model/scope.ts";

/** A hunk that waits for the user, as the editor shows it. */
export type ShownHunk = ShownProposal | ShownWritten;

interface Shown {
  id: string;
  path: string;
  /** Of the file as it is in the editor; empty when it is not known. */
  languageId: string;
  /** Lines of the current text: those it would replace, or those it wrote; empty where there are none. */
  range: Extent;
  /** Like `main › Fix the totals`; several are separated by commas. */
  agents: string;
  /** Like `+1 −5`. */
  count: string;
  hunk: ExactHunk;
}

/** Not written. It is shown once, also when several agents ask for the same. */
export interface ShownProposal extends Shown {
  /** "conflicted": the lines it replaces have changed. */
  state: "proposed" | "conflicted";
  proposalId: string;
  file: ProposedFile;
  /** Of one in conflict: whether the agent's lines can be written over those that are there, and both be merged. */
  canRebase: boolean;
  canMerge: boolean;
  /** The path of the file whose move has to be accepted first. */
  waitsForMove?: string;
}

/** Written, to be kept or undone. */
export interface ShownWritten extends Shown {
  /** "overwritten": undoing it would lose what others wrote into its lines. */
  state: "written" | "overwritten";
  written: WrittenHunk;
}

/** All that waits in one file. */
export function shownIn(store: ChangeStore, path: string): ShownHunk[] {
  const file = store.find(path);
  const inFile = (proposal: OpenProposal) => ({
    ...proposal,
    files: proposal.files.filter((proposed) => proposed.path === path),
  });
  const proposed = shownProposals(store.proposals.map(inFile));
  return file === undefined ? proposed : [...proposed, ...shownWritten(file)];
}

export function shownProposals(proposals: readonly OpenProposal[]): ShownProposal[] {
  const shown = new Map<string, ShownProposal>();
  for (const proposal of proposals) {
    const agents = proposerNames(proposal);
    for (const file of proposal.files) {
      const { path, languageId, follows } = file;
      const waits = follows !== undefined && !isMoveAccepted(proposal, follows);
      for (const pending of pendingHunks(file)) {
        const key = JSON.stringify([path, file.change, file.movedTo ?? "", identity(pending)]);
        const twin = shown.get(key);
        const { id, extent: range, hunk, conflicted } = pending;
        const first = {
          ...{ id, path, languageId, range, agents, count: countOf(hunk), hunk, file },
          state: conflicted ? "conflicted" : "proposed",
          ...{ canRebase: canRebase(file), canMerge: file.change === "update" },
        } as const;
        if (twin === undefined)
          shown.set(key, { ...first, proposalId: proposal.id, ...(waits && { waitsForMove: follows }) });
        else shown.set(key, { ...twin, agents: `${twin.agents}, ${agents}` });
      }
    }
  }
  return [...shown.values()];
}

export function shownWritten(file: TrackedFile): ShownWritten[] {
  const { path, languageId } = file;
  const states = hunkStates(file);
  return file.hunks.flatMap((written): ShownWritten[] => {
    const { id, hunk, kind, movedFrom = "" } = written;
    const found = states.get(id);
    if (found === undefined || found.isUndone) return [];
    const agents = authorName(written.author);
    const count = kind === "move" ? t("moved from {0}", movedFrom) : countOf(hunk);
    const state = found.isUndoable ? "written" : "overwritten";
    return [{ id, path, languageId, range: found.range, agents, count, hunk, state, written }];
  });
}

function countOf({ newLines, oldLines }: ExactHunk): string {
  return `+${newLines.length} −${oldLines.length}`;
}

/** What a proposed hunk does, as the rest of a sentence that starts with its agent. */
export function deedOf({ change, movedTo }: ProposedFile, hunk: ExactHunk): string {
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

/** Lines that are at least close to a view, however few it shows. */
const leastMargin = 20;

/** Whether a line is in sight or at most one page away. */
export function isNearView(line: number, { start, end }: Extent): boolean {
  const margin = Math.max(end - start, leastMargin);
  return line >= start - margin && line < end + margin;
}
