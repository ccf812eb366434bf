import type { OpenProposal, ProposedFile, ProposedHunk, TrackedFile, WrittenHunk } from "./change.ts";

/** What an answer is about: everything that matches all that is given; empty means all that is pending. */
export interface ProposalScope {
  proposalId?: string;
  /** Several, none of which has to be open still. */
  proposalIds?: readonly string[];
  path?: string;
  hunkId?: string;
}

/** Pending hunks of one file of one proposal. */
interface Selection {
  proposalId: string;
  file: ProposedFile;
  hunks: ProposedHunk[];
}

/** The pending hunks that the answer is about. */
export function selectHunks(proposals: readonly OpenProposal[], scope: ProposalScope): Selection[] {
  return proposals
    .filter(({ id }) => meansProposal(scope, id))
    .flatMap(({ id, files }) => files.map((file) => ({ proposalId: id, file })))
    .filter(({ file }) => scope.path === undefined || scope.path === file.path)
    .map(({ proposalId, file }) => ({ proposalId, file, hunks: file.hunks.filter((hunk) => isPendingIn(hunk, scope)) }))
    .filter(({ hunks }) => hunks.length > 0);
}

/** Whether an answer is about a proposal, or may be about a part of it. */
export function meansProposal({ proposalId, proposalIds }: ProposalScope, id: string): boolean {
  return (proposalId === undefined || proposalId === id) && (proposalIds === undefined || proposalIds.includes(id));
}

function isPendingIn(hunk: ProposedHunk, { hunkId }: ProposalScope): boolean {
  return hunk.decision === "pending" && (hunkId === undefined || hunkId === hunk.id);
}

/**
 * Ids of the same pending changes in all proposals: the same lines at the same place become the same. They share one
 * answer, so that nothing is asked twice.
 */
export function withTwins(proposals: readonly OpenProposal[], { proposalId, file, hunks }: Selection): Set<string> {
  const keys = new Set(hunks.map(identity));
  // What an agent writes itself is in no file yet when it is accepted.
  const isAlone = ({ id, proposal }: OpenProposal) => id === proposalId && proposal.writesItself === true;
  const sharing = proposals.some(isAlone)
    ? proposals.filter(isAlone)
    : proposals.filter(({ proposal }) => proposal.writesItself !== true);
  const others = selectHunks(sharing, { path: file.path }).filter(
    (other) => other.file.change === file.change && other.file.movedTo === file.movedTo,
  );
  return new Set(others.flatMap((other) => other.hunks.filter((hunk) => keys.has(identity(hunk)))).map(({ id }) => id));
}

/** Equal for hunks of one file that ask for the same thing. */
export function identity({ extent, hunk }: ProposedHunk): string {
  return JSON.stringify([extent.start, extent.end, hunk.oldText, hunk.newText]);
}

/** With the selected moves, all that is only made together with them. */
export function withFollowers(
  proposals: readonly OpenProposal[],
  selections: readonly Selection[],
): readonly Selection[] {
  const moved = selections.filter(({ file }) => file.movedTo !== undefined);
  const followers = moved.flatMap(({ proposalId, file }) =>
    selectHunks(proposals, { proposalId }).filter((other) => other.file.follows === file.path),
  );
  return [...selections, ...followers];
}

/** What follows a move, like the imports of the moved file, can be written once the move is. */
export function isMoveAccepted(proposal: OpenProposal | undefined, moved: string): boolean {
  const file = proposal?.files.find(({ path, movedTo }) => path === moved && movedTo !== undefined);
  return file?.hunks.every(({ decision }) => decision === "accepted") === true;
}

/** Which pending hunks are meant: those that match all that is given; empty means all. */
export interface WrittenScope {
  path?: string;
  hunkId?: string;
  /** Several, also those that have become a part of another one. */
  hunkIds?: ReadonlySet<string>;
  /** An agent and what it spawned. */
  agentId?: string;
  /** What one tool call wrote. */
  editId?: string;
}

export function inScope(scope: WrittenScope): (hunk: WrittenHunk) => boolean {
  const { hunkIds } = scope;
  return ({ id, author, merged = [] }) =>
    (scope.hunkId === undefined || scope.hunkId === id) &&
    (hunkIds === undefined || [id, ...merged].some((each) => hunkIds.has(each))) &&
    (scope.agentId === undefined || author.agentIds.includes(scope.agentId)) &&
    (scope.editId === undefined || scope.editId === author.editId);
}

export function filesInScope(files: readonly TrackedFile[], scope: WrittenScope): TrackedFile[] {
  const isMeant = inScope(scope);
  return files.filter(
    (file) => (scope.path === undefined || scope.path === file.path) && file.hunks.some((hunk) => isMeant(hunk)),
  );
}
