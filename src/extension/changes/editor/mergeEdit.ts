import { commands, type Disposable, l10n, type Uri, workspace } from "vscode";
import { pendingHunks, proposerNames } from "../model/change.ts";
import { applyHunks } from "../model/diffLines.ts";
import type { ProposalScope } from "../model/scope.ts";
import type { ProposalReviews } from "../proposalReviews.ts";
import { diffUris, type PresenterDependencies } from "./diffDocuments.ts";

const mergeScheme = "arbor-merge";

/** What the agent read, and what of its edit waits for an answer. */
type AgentText = "before" | "after";

function agentUri(file: Uri, proposalId: string, text: AgentText): Uri {
  return file.with({ scheme: mergeScheme, authority: "", query: `${text}:${proposalId}` });
}

/** The texts of an agent's edit for the merge editor, read-only. */
export function provideAgentTexts({ store, uriOf }: Pick<PresenterDependencies, "store" | "uriOf">): Disposable {
  return workspace.registerTextDocumentContentProvider(mergeScheme, {
    provideTextDocumentContent: ({ path, query }) => {
      const [text, ...rest] = query.split(":");
      const proposal = store.proposal(rest.join(":"));
      const isMeant = (each: { path: string }) => uriOf(each.path).path === path;
      const { before = "", after = "" } = proposal?.proposal.changes.find(isMeant) ?? {};
      const file = proposal?.files.find(isMeant);
      if (text === "before" || file === undefined) return before;
      // What the user edited is a difference to another text.
      if (file.changedByUser) return after;
      const pending = pendingHunks(file).map(({ hunk }) => hunk);
      return applyHunks(before, pending);
    },
  });
}

/**
 * Opens the editor's merge editor on a proposed file: what the user made of it on one side, what the agent made of it on
 * the other. What comes of it is the proposed text, in which nothing conflicts any more.
 */
export async function openMerge(
  { store, uriOf }: Pick<PresenterDependencies, "store" | "uriOf">,
  { proposalId, path }: { proposalId: string; path: string },
): Promise<void> {
  const proposal = store.proposal(proposalId);
  if (proposal === undefined) return;
  const file = uriOf(path);
  const { base, proposed } = diffUris(file, proposalId);
  const name = path.split("/").at(-1) ?? path;
  await commands.executeCommand("_open.mergeEditor", {
    base: agentUri(file, proposalId, "before"),
    // The file itself would have its comments here too.
    input1: { uri: base, title: l10n.t("Your lines"), description: name },
    input2: {
      uri: agentUri(file, proposalId, "after"),
      title: l10n.t("Agent's lines"),
      description: proposerNames(proposal),
    },
    output: proposed,
  });
}

/**
 * Ends the merge in the active editor and answers the edits of its file: what was merged is written, and where the user
 * left the agent's lines out, they are rejected.
 */
export async function completeMerge(reviews: ProposalReviews, scope: ProposalScope): Promise<void> {
  const ended = await commands.executeCommand<{ successful?: boolean } | undefined>("mergeEditor.acceptMerge");
  if (ended?.successful === false) return;
  await reviews.accept(scope);
  await reviews.reject(scope);
}
