import type {
  EditProposal,
  FileOutcome,
  HunkOutcome,
  OpenProposal,
  ProposedFile,
  ReviewOutcome,
} from "./model/change.ts";
import type { CurrentText } from "./model/openProposal.ts";
import { currentText, type ReviewedWorkspace } from "./reviewedWorkspace.ts";

/** What the file holds when the review of it is over; absent when it does not exist. */
interface FinalText {
  text: string;
  saved: boolean;
}

/** Why a hunk was neither accepted nor rejected: nobody answered, or it could not be written where nobody is asked. */
type Unsettled = "unanswered" | "conflicted";

/** What the agent is told of one file. */
function fileOutcome(
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

/** What the files that a proposal changes hold now, by path; a file that goes elsewhere as it is needs no text. */
export async function currentTextsOf(
  workspace: ReviewedWorkspace,
  { changes }: EditProposal,
): Promise<Map<string, CurrentText>> {
  const texts = new Map<string, CurrentText>();
  for (const { path, movedTo, follows } of changes) {
    const isMoved = changes.some((change) => change.path === follows && change.movedTo === path);
    // What comes to be there is elsewhere as long as it is not moved.
    const place = isMoved && follows !== undefined ? follows : path;
    const content = movedTo === undefined ? await currentText(workspace, place) : undefined;
    if (content !== undefined) texts.set(path, content);
  }
  return texts;
}

/** What became of each file, with what it holds now. */
export async function outcomeOf(
  workspace: ReviewedWorkspace,
  { files, withdrawn = false }: OpenProposal,
  unsettled: Unsettled,
): Promise<ReviewOutcome> {
  const how = { unsettled, isWithdrawn: withdrawn };
  const outcomes = files.map(async (file) => {
    const content = file.movedTo === undefined ? await currentText(workspace, file.path) : undefined;
    return fileOutcome(file, content && { text: content.text, saved: !content.unsaved }, how);
  });
  return { files: await Promise.all(outcomes) };
}
