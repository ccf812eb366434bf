import { randomUUID } from "node:crypto";
import { ChangeStore } from "./changeStore.ts";
import { EditHistory } from "./history/editHistory.ts";
import { EditJournal, type JournalStorage } from "./journal/editJournal.ts";
import { type EditProposal, type EditReview, titlePart } from "./model/change.ts";
import type { PersistedEdits } from "./persistedEdits.ts";
import { ProposalReviews } from "./proposalReviews.ts";
import { writtenBy } from "./provenance/writtenEdits.ts";
import { OpenEdits, type ReviewedChat, type ReviewMode, reviewByMode } from "./reviewByMode.ts";
import type { ReviewedWorkspace } from "./reviewedWorkspace.ts";
import { WrittenReviews } from "./writtenReviews.ts";

interface ReviewsHost {
  /** As agents write to it. */
  workspace: ReviewedWorkspace;
  /** As what the user accepts is written. Default: the same. */
  acceptedWorkspace?(store: ChangeStore): ReviewedWorkspace;
  /** Asked for each edit. */
  mode(): ReviewMode;
  /** What the rules of the settings say of an edit. */
  judge?: NonNullable<Parameters<typeof reviewByMode>[0]["judge"]>;
  /** Whether an edit of the file is asked for whatever the mode says. */
  isSensitive(path: string): Promise<boolean>;
  /** Where a link leads, as the workspace names it. */
  leadsTo(path: string): Promise<string | undefined>;
  /** Whether somebody may be typing in the file. */
  isOpen(path: string): boolean;
  /** Where the history of agents' edits is stored. */
  history: PersistedEdits;
  /** Where calls are stored that have no result yet. */
  journal: JournalStorage;
  /** Resolves when what waits for Keep or Undo is stored. */
  onceSaved(): Promise<void>;
  /** Resolves when it is stored which files an undo is about to write. */
  onceIntended(): Promise<void>;
  showError(error: unknown): void;
}

/** The review of edits as the editor has it, without what shows it: answers come through `proposals` and `written`. */
export function createReviews({
  workspace,
  acceptedWorkspace = () => workspace,
  mode,
  judge,
  isSensitive,
  leadsTo,
  isOpen,
  onceSaved,
  onceIntended,
  showError,
  ...stored
}: ReviewsHost) {
  const store = new ChangeStore();
  const accepted = acceptedWorkspace(store);
  const journal = new EditJournal(stored.journal, showError);
  const newId = () => `edit-${randomUUID()}`;
  const history = new EditHistory({ workspace, saved: stored.history, newId, onError: showError });
  /** By agent: from the root agent down. */
  const lineages = new Map<string, readonly string[]>();
  /** By agent. */
  const chatIds = new Map<string, string>();
  const workspaceFor = ({ agent, agentPath, callId }: EditProposal, editId: string) => {
    const chatId = chatIds.get(agent.id);
    const origin = { callId, ...titlePart(agent), ...(chatId !== undefined && { chatId }) };
    const author = { agentIds: lineages.get(agent.id) ?? [agent.id], agentPath, editId, ...origin };
    return history.workspaceOf(author, accepted);
  };
  const proposals = new ProposalReviews({
    ...{ store, workspace, workspaceFor, isOpen, newId, journal },
    writeAhead: journal,
  });
  const written = new WrittenReviews({
    ...{ store, workspace, newId, journal, history, onceSaved, onceIntended },
    inTurn: (step) => proposals.inTurn(step),
    onUndone: (paths) => history.refresh(paths),
  });
  const open = new OpenEdits();
  const reviewFor = (chat: ReviewedChat): EditReview =>
    reviewByMode(
      {
        mode,
        before: proposals,
        after: written,
        open,
        isSensitive,
        leadsTo,
        journal,
        writtenBy: (call) => writtenBy({ store, history }, call),
        ...(judge !== undefined && { judge }),
      },
      {
        ...chat,
        lineage: (agentId) => {
          const lineage = chat.lineage(agentId);
          lineages.set(agentId, lineage);
          if (chat.id !== undefined) chatIds.set(agentId, chat.id);
          return lineage;
        },
      },
    );
  return { store, journal, history, proposals, written, open, reviewFor };
}
