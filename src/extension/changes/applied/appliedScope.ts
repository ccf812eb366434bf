import type { AppliedFile, AppliedHunk } from "./appliedEdits.ts";

/** Which pending hunks are meant: those that match all that is given; empty means all. */
export interface AppliedScope {
  path?: string;
  hunkId?: string;
  /** An agent and what it spawned. */
  agentId?: string;
  /** What one tool call wrote. */
  editId?: string;
}

export function isMeantBy(scope: AppliedScope): (hunk: AppliedHunk) => boolean {
  return ({ id, author }) =>
    (scope.hunkId === undefined || scope.hunkId === id) &&
    (scope.agentId === undefined || author.agentIds.includes(scope.agentId)) &&
    (scope.editId === undefined || scope.editId === author.editId);
}

export function filesMeantBy(files: readonly AppliedFile[], scope: AppliedScope): AppliedFile[] {
  const isMeant = isMeantBy(scope);
  return files.filter(
    (file) => (scope.path === undefined || scope.path === file.path) && file.hunks.some((hunk) => isMeant(hunk)),
  );
}
