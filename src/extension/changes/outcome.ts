import type { FileOutcome, HunkOutcome, ProposedFile } from "./model/change.ts";

/** What the file holds when the review of it is over; absent when it does not exist. */
export interface FinalText {
  text: string;
  saved: boolean;
}

/** Why a hunk was neither accepted nor rejected: nobody answered, or it could not be written where nobody is asked. */
export type Unsettled = "unanswered" | "conflicted";

/** What the agent is told of one file. */
export function fileOutcome(
  file: ProposedFile,
  final: FinalText | undefined,
  { unsettled, isWithdrawn }: { unsettled: Unsettled; isWithdrawn: boolean },
): FileOutcome {
  return {
    path: file.path,
    hunks: file.hunks.length === 0 ? emptiedOutcomes(file, isWithdrawn) : hunkOutcomes(file, unsettled),
    ...(final === undefined ? {} : { text: final.text }),
    saved: final?.saved ?? true,
    changedByUser: file.changedByUser,
    ...(file.followed === undefined ? {} : { followed: file.followed }),
  };
}

/** The user edited every change out of the proposal: what the agent proposed was not taken. */
function emptiedOutcomes({ proposed, reason }: ProposedFile, isWithdrawn: boolean): HunkOutcome[] {
  const why = isWithdrawn ? { unanswered: true } : reason === undefined ? {} : { reason };
  return proposed.map((hunk) => ({ hunk, accepted: false, ...why }));
}

function hunkOutcomes(file: ProposedFile, unsettled: Unsettled): HunkOutcome[] {
  return file.hunks.map(({ hunk, decision, reason }) => ({
    hunk,
    accepted: decision === "accepted",
    ...(reason === undefined ? {} : { reason }),
    ...(decision === "pending" ? { [unsettled]: true } : {}),
  }));
}
