import type { ReviewedFile } from "./proposals.ts";
import type { FileOutcome, HunkOutcome } from "./review.ts";

/** What the file holds when the review of it is over; absent when it does not exist. */
export interface FinalText {
  text: string;
  saved: boolean;
}

/** What the agent is told of one file. */
export function fileOutcome(file: ReviewedFile, final: FinalText | undefined): FileOutcome {
  return {
    path: file.path,
    hunks: hunkOutcomes(file),
    ...(final === undefined ? {} : { text: final.text }),
    saved: final?.saved ?? true,
    changedByUser: file.changedByUser,
    ...(file.followed === undefined ? {} : { followed: file.followed }),
  };
}

function hunkOutcomes(file: ReviewedFile): HunkOutcome[] {
  // The user edited every change out of the proposal: what the agent proposed was not taken.
  if (file.hunks.length === 0) return file.proposed.map((hunk) => ({ hunk, accepted: false }));
  return file.hunks.map(({ hunk, decision, reason, conflicted }) => ({
    hunk,
    accepted: decision === "accepted",
    ...(reason === undefined ? {} : { reason }),
    ...(conflicted && decision !== "accepted" ? { conflicted } : {}),
  }));
}
