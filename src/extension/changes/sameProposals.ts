import { isDeepStrictEqual } from "node:util";
import { type PendingProposal, proposersOf } from "./proposals.ts";
import type { EditProposal } from "./review.ts";

/** Whether two agents propose the very same: the same files from the same text to the same text. */
export function isSameProposal(one: EditProposal, other: EditProposal): boolean {
  return isDeepStrictEqual(one.changes, other.changes);
}

export function withProposer(pending: PendingProposal, proposal: EditProposal): PendingProposal {
  return { ...pending, same: [...pending.same, proposal] };
}

/** Undefined when nobody is left who proposes it. */
export function withoutProposer(pending: PendingProposal, proposal: EditProposal): PendingProposal | undefined {
  const [first, ...same] = proposersOf(pending).filter((other) => other !== proposal);
  return first && { ...pending, proposal: first, same };
}
