import type { AgentMeta } from "../../agent/types.ts";

/**
 * A run of changed lines. Lines count from 1 and carry no line end. One that only adds stands before line `oldStart`,
 * which is one past the last line at the end of the text; the same holds for `newStart` of one that only removes.
 */
export interface Hunk {
  oldStart: number;
  oldLines: string[];
  newStart: number;
  newLines: string[];
}

/** `before` is absent for a file to be added, `after` for one to be deleted, both for one to be moved as it is. */
export interface ProposedChange {
  path: string;
  before?: string;
  after?: string;
  /** Where the file goes. Nothing is there. */
  movedTo?: string;
  /** The path of a file of the same proposal with whose move this change is made, and never without it. */
  follows?: string;
}

/** What an agent wants to change, all from one tool call. */
export interface EditProposal {
  callId: string;
  toolName: string;
  agent: AgentMeta;
  /** Names from the root agent down, like ["main", "edit"]. */
  agentPath: readonly string[];
  changes: readonly ProposedChange[];
  /** Called when the question is shown: who proposes the very same from now on waits for its answer as well. */
  asked?(): void;
}

export interface HunkOutcome {
  hunk: Hunk;
  accepted: boolean;
  /** The user's words on a rejection. */
  reason?: string;
  /** The lines it replaces changed, so that it could not be written. Not set on what the user rejected. */
  conflicted?: boolean;
  /** The run was stopped before the user answered. */
  unanswered?: boolean;
}

export interface FileOutcome {
  path: string;
  hunks: HunkOutcome[];
  /** The file's text after the review; absent when the file does not exist then. */
  text?: string;
  /** False when the document keeps unsaved text. */
  saved: boolean;
  /** The user changed the proposed text before accepting it. */
  changedByUser: boolean;
  /** Files in which the editor followed a move, like those that import what was moved. */
  followed?: readonly string[];
  /** Of a move: files of the proposal that were changed with it. */
  changedWith?: readonly string[];
}

export interface ReviewOutcome {
  files: FileOutcome[];
}

/** Shows a proposal, waits for the answers, writes what was accepted. An abort withdraws what is still open. */
export interface EditReview {
  /** The same for all reviews whose questions go to the same chat. */
  chat?: object;
  review(proposal: EditProposal, signal: AbortSignal): Promise<ReviewOutcome>;
}
