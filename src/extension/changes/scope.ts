import type { PendingProposal, ReviewedFile, ReviewedHunk } from "./proposals.ts";

/** What an answer is about: everything that matches all that is given; empty means all that is pending. */
export interface ReviewScope {
  proposalId?: string;
  /** Several, none of which has to be open still. */
  proposalIds?: readonly string[];
  path?: string;
  hunkId?: string;
}

/** Pending hunks of one file of one proposal. */
export interface Selection {
  proposalId: string;
  file: ReviewedFile;
  hunks: ReviewedHunk[];
}

/** The pending hunks that the answer is about. */
export function select(proposals: readonly PendingProposal[], scope: ReviewScope): Selection[] {
  return proposals
    .filter(({ id }) => meansProposal(scope, id))
    .flatMap(({ id, files }) => files.map((file) => ({ proposalId: id, file })))
    .filter(({ file }) => scope.path === undefined || scope.path === file.path)
    .map(({ proposalId, file }) => ({ proposalId, file, hunks: file.hunks.filter((hunk) => isMeant(hunk, scope)) }))
    .filter(({ hunks }) => hunks.length > 0);
}

/** Whether an answer is about a proposal, or may be about a part of it. */
export function meansProposal({ proposalId, proposalIds }: ReviewScope, id: string): boolean {
  return (proposalId === undefined || proposalId === id) && (proposalIds === undefined || proposalIds.includes(id));
}

function isMeant(hunk: ReviewedHunk, { hunkId }: ReviewScope): boolean {
  return hunk.decision === "pending" && (hunkId === undefined || hunkId === hunk.id);
}

/**
 * Ids of the same pending changes in all proposals: the same lines at the same place become the same. They share one
 * answer, so that nobody is asked twice.
 */
export function withTwins(proposals: readonly PendingProposal[], { file, hunks }: Selection): Set<string> {
  const keys = new Set(hunks.map(identity));
  const others = select(proposals, { path: file.path }).filter(
    (other) => other.file.change === file.change && other.file.movedTo === file.movedTo,
  );
  return new Set(others.flatMap((other) => other.hunks.filter((hunk) => keys.has(identity(hunk)))).map(({ id }) => id));
}

/** Equal for hunks of one file that ask for the same thing. */
export function identity({ extent, hunk }: ReviewedHunk): string {
  return JSON.stringify([extent.start, extent.end, hunk.oldText, hunk.newText]);
}

/** With the selected moves, all that is only made together with them. */
export function withFollowers(
  proposals: readonly PendingProposal[],
  selections: readonly Selection[],
): readonly Selection[] {
  const moved = selections.filter(({ file }) => file.movedTo !== undefined);
  const followers = moved.flatMap(({ proposalId, file }) =>
    select(proposals, { proposalId }).filter((other) => other.file.follows === file.path),
  );
  return [...selections, ...followers];
}
