import { t } from "@vscode/l10n";
import {
  type OpenProposal,
  type ProposedFile,
  type ProposedHunk,
  pendingHunks,
  proposerNames,
} from "./model/change.ts";
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
  if (change === "add") return t("adds this file with {0}", lines(added));
  if (change === "delete") return t("deletes this file");
  if (removed === 0)
    return hunk.oldStart === 1 ? t("inserts {0} at the top", lines(added)) : t("inserts {0}", lines(added));
  if (added === 0) return t("deletes {0}", lines(removed));
  if (hunk.oldLines.join("\n") === hunk.newLines.join("\n")) return t("changes the line ends of {0}", lines(removed));
  return t("replaces {0} with {1}", lines(removed), added);
}

function lines(count: number): string {
  return count === 1 ? t("1 line") : t("{0} lines", count);
}
