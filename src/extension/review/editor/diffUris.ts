import type { Uri } from "vscode";
import type { ProposalStore } from "../proposalStore.ts";
import type { ReviewedFile } from "../proposals.ts";

export const BASE_SCHEME = "arbor-base";
export const PROPOSED_SCHEME = "arbor-proposed";

/** Addresses of both sides of a file's diff: the file's own path, so that icons and languages are its own. */
export function diffUris(file: Uri, proposalId: string): { base: Uri; proposed: Uri } {
  const side = (scheme: string) => file.with({ scheme, authority: "", query: proposalId });
  return { base: side(BASE_SCHEME), proposed: side(PROPOSED_SCHEME) };
}

export interface DiffSide {
  proposalId: string;
  file: ReviewedFile;
}

/** What a side of a diff belongs to, as long as it is open. */
export function diffSideOf(store: ProposalStore, uri: Uri, uriOf: (path: string) => Uri): DiffSide | undefined {
  if (uri.scheme !== BASE_SCHEME && uri.scheme !== PROPOSED_SCHEME) return undefined;
  const proposal = store.find(uri.query);
  const file = proposal?.files.find(({ path }) => uriOf(path).path === uri.path);
  return proposal && file && { proposalId: proposal.id, file };
}
