import type {
  Approval,
  ApprovalAsker,
  ApprovalFile,
  ApprovalOutcome,
  PendingEdits,
} from "../../protocol/hostEvents.ts";
import type {
  EditProposal,
  FileOutcome,
  HunkOutcome,
  OpenProposal,
  ProposedFile,
  ReviewOutcome,
  TrackedFile,
} from "./model/change.ts";
import type { ExactHunk } from "./model/diffLines.ts";
import { hunkStates } from "./model/hunkStates.ts";
import type { CurrentText } from "./model/openProposal.ts";
import { lineEndOf, lineOf, sameLines, splitPieces } from "./model/pieces.ts";
import { currentText, type ReviewedWorkspace } from "./reviewedWorkspace.ts";

/** What the file holds when the review of it is over; absent when it does not exist. */
interface FinalText {
  text: string;
  saved: boolean;
}

/** Why a hunk was neither accepted nor rejected: it was not answered, or could not be written where it is not asked about. */
type Unsettled = "unanswered" | "conflicted";

/** What the agent learns of one file. */
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
    const source = isMoved && follows !== undefined ? follows : path;
    const content = movedTo === undefined ? await currentText(workspace, source) : undefined;
    if (content !== undefined) texts.set(path, content);
  }
  return texts;
}

/** What became of each file, with what it holds now. */
export async function outcomeOf(
  workspace: ReviewedWorkspace,
  { files, withdrawn = false, writtenHere }: OpenProposal,
  unsettled: Unsettled,
): Promise<ReviewOutcome> {
  const how = { unsettled, isWithdrawn: withdrawn };
  const outcomes = files.map(async (file) => {
    const content =
      file.movedTo === undefined ? await currentText(workspace, file.path, { asReported: true }) : undefined;
    return fileOutcome(file, content && { text: content.text, saved: !content.unsaved }, how);
  });
  return { files: await Promise.all(outcomes), ...(writtenHere !== undefined && { isWritten: true }) };
}

/** What the panel shows of a proposal. */
export function approvalOf({ id, proposal, same, files }: OpenProposal): Approval {
  return {
    id,
    ...askerOf(proposal),
    toolName: proposal.toolName,
    files: files.map(approvalFile),
    ...(same.length > 0 && { others: same.map(askerOf) }),
  };
}

function askerOf({ agent, agentPath, callId }: EditProposal): ApprovalAsker {
  return { agentId: agent.id, agentPath: [...agentPath], callId };
}

function approvalFile({ path, change, movedTo, follows, languageId, hunks }: ProposedFile): ApprovalFile {
  return {
    path,
    change,
    ...(movedTo === undefined ? {} : { movedTo }),
    ...(follows === undefined ? {} : { follows }),
    languageId,
    hunks: hunks.map(({ id, hunk, extent, conflicted, decision, reason }) => ({
      id,
      // Lines that were typed above it have moved it.
      oldStart: decision === "pending" ? extent.start + 1 : hunk.oldStart,
      newStart: hunk.newStart,
      ...shownLines(hunk),
      decision,
      ...(reason === undefined ? {} : { reason }),
      ...(conflicted && decision === "pending" && { conflicted }),
    })),
  };
}

const lineEndSigns = { "\r\n": "␍␊", "\n": "␊", "\r": "␍", "": "" };

/** The lines as a person sees their difference: when only line ends change, those are made visible. */
export function shownLines(hunk: ExactHunk): { oldLines: string[]; newLines: string[] } {
  if (!sameLines(hunk.oldLines, hunk.newLines)) return { oldLines: hunk.oldLines, newLines: hunk.newLines };
  const signed = (text: string) => splitPieces(text).map((piece) => lineOf(piece) + lineEndSigns[lineEndOf(piece)]);
  return { oldLines: signed(hunk.oldText), newLines: signed(hunk.newText) };
}

/** How a review ended, by the answers to its hunks. */
export function approvalOutcome({ files }: OpenProposal): ApprovalOutcome {
  const decisions = new Set(files.flatMap((file) => file.hunks.map((hunk) => hunk.decision)));
  if (decisions.has("pending")) return "canceled";
  if (!decisions.has("accepted")) return "rejected";
  return decisions.has("rejected") ? "partly" : "accepted";
}

/** What waits for Keep or Undo, for the panel: one entry per file and agent. */
export function pendingEdits(files: readonly TrackedFile[]): PendingEdits[] {
  return files.flatMap((file) => {
    const perAgent = new Map<string, PendingEdits>();
    const states = hunkStates(file);
    for (const applied of file.hunks) {
      if (states.get(applied.id)?.isUndone) continue;
      const { hunk, author, movedFrom, kind } = applied;
      const agentId = author.agentIds.at(-1) ?? "";
      const known = perAgent.get(agentId);
      perAgent.set(agentId, {
        ...known,
        path: file.path,
        agentId,
        agentPath: [...author.agentPath],
        hunks: (known?.hunks ?? 0) + 1,
        added: (known?.added ?? 0) + hunk.newLines.length,
        removed: (known?.removed ?? 0) + hunk.oldLines.length,
        ...(movedFrom === undefined ? {} : { movedFrom }),
        ...((kind === "add" || kind === "delete") && { change: kind }),
      });
    }
    return [...perAgent.values()];
  });
}
