import type { HunkDecision } from "../../protocol/hostEvents.ts";
import type { ExactHunk } from "./model/diffLines.ts";
import type { Extent } from "./model/lineEdit.ts";
import type { EditProposal } from "./review.ts";

/** One tool call's edits while they wait for answers. Immutable: every change makes a new one. */
export interface PendingProposal {
  id: string;
  proposal: EditProposal;
  /** The very same, proposed by other agents of the chat; one answer is for all of them. */
  same: readonly EditProposal[];
  files: readonly ReviewedFile[];
  /** How many hunks it has had; a hunk's id is never used again. */
  hunkCount: number;
  /** The run was stopped before every answer was given. */
  withdrawn?: boolean;
}

export interface ReviewedFile {
  path: string;
  change: "add" | "update" | "delete";
  /** The file goes there as it is: from its own path it is deleted, as one hunk without lines. */
  movedTo?: string;
  /** The file of the same proposal with whose move this is written, and never without it. */
  follows?: string;
  /** Files in which the editor followed the move. */
  followed?: readonly string[];
  /** Of the file as it is in the editor; empty when it is not known. */
  languageId: string;
  /** The current text's lines, as the editor counts them. */
  lines: readonly string[];
  /** The usual line end of the text the hunks were made for. */
  lineEnd: string;
  hunks: readonly ReviewedHunk[];
  /** The user changed the proposed text. */
  changedByUser: boolean;
  /** The user's words on a rejection after every change had been edited away; else they are with the hunks. */
  reason?: string;
  /** The hunks as the agent proposed them. */
  proposed: readonly ExactHunk[];
}

export interface ReviewedHunk {
  id: string;
  hunk: ExactHunk;
  /** Where the lines it replaces stand now. */
  extent: Extent;
  /** The lines it replaces changed: it can't be written as things are. */
  conflicted: boolean;
  decision: HunkDecision;
  /** The user's words on a rejection. */
  reason?: string;
}

/** All whose answer it is, the first of them first. */
export function proposersOf({ proposal, same }: PendingProposal): readonly EditProposal[] {
  return [proposal, ...same];
}

/** Like `main › edit`; several are separated by commas. */
export function proposerNames(pending: PendingProposal): string {
  return proposersOf(pending)
    .map(({ agentPath }) => agentPath.join(" › "))
    .join(", ");
}

export function pendingHunks(file: ReviewedFile): ReviewedHunk[] {
  return file.hunks.filter((hunk) => hunk.decision === "pending");
}
