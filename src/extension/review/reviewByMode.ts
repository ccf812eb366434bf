import { assertNever } from "../../agent/errors.ts";
import type { HostEvent } from "../../protocol/hostEvents.ts";
import type { PermissionMode } from "../../protocol/modes.ts";
import type { ChatGrants } from "../permissions/chatGrants.ts";
import { type EditWish, offersFor } from "../permissions/grants.ts";
import type { AppliedReviews } from "./applied/appliedReviews.ts";
import type { OpenEdits } from "./openEdits.ts";
import type { PendingReviews } from "./pendingReviews.ts";
import type { EditProposal, EditReview } from "./review.ts";

/** When the user reviews an edit: before it is written, after, or not at all. */
export type ReviewMode = "before" | "after" | "off";

/** The mode `auto-edit` asks nothing before an edit is written. */
export function reviewModeOf({ editReview, permissionMode }: ReviewSettings): ReviewMode {
  return permissionMode === "auto-edit" && editReview === "before" ? "after" : editReview;
}

interface ReviewSettings {
  editReview: ReviewMode;
  permissionMode: PermissionMode;
}

export interface ReviewsByMode {
  /** Asked anew for each edit. */
  mode(): ReviewMode;
  before: PendingReviews;
  after: AppliedReviews;
  /** Edits that wait for an answer, so that one that reaches further finds what it is about. */
  open: OpenEdits;
  /** Whether an edit of the file is asked for whatever the mode says: by its path, and by where a link leads. */
  isSensitive(path: string): Promise<boolean>;
}

/** What the reviews need to know of one chat. */
export interface ReviewedChat {
  emit(event: HostEvent): void;
  /** Ids from the root agent down to this one. */
  lineage(agentId: string): readonly string[];
  /** What needs no question any more. */
  grants: ChatGrants;
}

/** Reviews an edit before or after it is written, as the mode at that time says and what is allowed already. */
export function reviewByMode(reviews: ReviewsByMode, chat: ReviewedChat): EditReview {
  const { mode, after, isSensitive } = reviews;
  return {
    chat: chat.grants,
    review: async (proposal, signal) => {
      const paths = proposal.changes.flatMap(({ path, movedTo }) => (movedTo === undefined ? [path] : [path, movedTo]));
      const judged = await Promise.all(paths.map(isSensitive));
      const wish: EditWish = { kind: "edit", agent: proposal.agent, paths, isSensitive: judged.includes(true) };
      const agentIds = chat.lineage(proposal.agent.id);
      // Sensitive files are asked for in every mode.
      const now = wish.isSensitive ? "before" : mode();
      switch (now) {
        case "before":
          return chat.grants.letThrough(proposal.callId, wish, agentIds)
            ? after.apply(proposal, { agentIds, isPending: true }, signal)
            : ask(reviews, chat, { proposal, wish }, signal);
        case "after":
        case "off":
          return after.apply(proposal, { agentIds, isPending: now === "after" }, signal);
        default:
          return assertNever(now);
      }
    },
  };
}

/** Asks the user, and says which answers may reach further. */
function ask(
  { before, open }: ReviewsByMode,
  { emit, grants, lineage }: ReviewedChat,
  { proposal, wish }: { proposal: EditProposal; wish: EditWish },
  signal: AbortSignal,
): ReturnType<EditReview["review"]> {
  const scopes = offersFor(wish);
  const asking = before.reviewFor((event, proposers) => {
    if (event.type === "approval_closed") open.remove(event.approvalId);
    if (event.type !== "approval_requested") {
      emit(event);
      return;
    }
    const { approval } = event;
    const asks = proposers.map(({ agent, agentPath }) => ({
      ...{ wish: { ...wish, agent }, lineage: lineage(agent.id), agentPath },
    }));
    open.put({ approvalId: approval.id, asks, grants });
    emit({ ...event, approval: { ...approval, ...(scopes.length > 0 && { scopes }) } });
  }, grants);
  return asking.review(proposal, signal);
}
