import type {
  Approval,
  ApprovalAsker,
  ApprovalFile,
  ApprovalOutcome,
  PendingEdits,
} from "../../protocol/hostEvents.ts";
import type { EditProposal, OpenProposal, ProposedFile, WrittenFile } from "./model/change.ts";
import type { ExactHunk } from "./model/diffLines.ts";
import { hunkStates } from "./model/hunkStates.ts";
import { lineEndOf, lineOf, sameLines, splitPieces } from "./model/pieces.ts";

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

function approvalFile({ path, change, movedTo, languageId, hunks }: ProposedFile): ApprovalFile {
  return {
    path,
    change,
    ...(movedTo === undefined ? {} : { movedTo }),
    languageId,
    hunks: hunks.map(({ id, hunk, decision, reason }) => ({
      id,
      oldStart: hunk.oldStart,
      newStart: hunk.newStart,
      ...shownLines(hunk),
      decision,
      ...(reason === undefined ? {} : { reason }),
    })),
  };
}

const lineEndSigns = { "\r\n": "␍␊", "\n": "␊", "\r": "␍", "": "" };

/** The lines as a person can tell them apart: when only line ends change, those are made visible. */
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
export function pendingEdits(files: readonly WrittenFile[]): PendingEdits[] {
  return files.flatMap((file) => {
    const perAgent = new Map<string, PendingEdits>();
    const states = hunkStates(file);
    for (const applied of file.hunks) {
      if (states.get(applied.id)?.isUndone) continue;
      const { hunk, author, movedFrom } = applied;
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
      });
    }
    return [...perAgent.values()];
  });
}
