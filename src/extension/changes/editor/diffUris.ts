import type { Uri } from "vscode";
import type { ChangeStore } from "../changeStore.ts";
import type { ProposedFile } from "../model/change.ts";

export const baseScheme = "arbor-base";
export const proposedScheme = "arbor-proposed";

/** Addresses of both sides of a file's diff: the file's own path, so that icons and languages are its own. */
export function diffUris(file: Uri, proposalId: string): { base: Uri; proposed: Uri } {
  const side = (scheme: string) => file.with({ scheme, authority: "", query: proposalId });
  return { base: side(baseScheme), proposed: side(proposedScheme) };
}

export interface DiffSide {
  proposalId: string;
  file: ProposedFile;
}

/** What a side of a diff belongs to, as long as it is open. */
export function diffSideOf(store: ChangeStore, uri: Uri, uriOf: (path: string) => Uri): DiffSide | undefined {
  if (uri.scheme !== baseScheme && uri.scheme !== proposedScheme) return undefined;
  const proposal = store.proposal(uri.query);
  const file = proposal?.files.find(({ path }) => uriOf(path).path === uri.path);
  return proposal && file && { proposalId: proposal.id, file };
}
