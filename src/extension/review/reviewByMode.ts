import { assertNever } from "../../agent/errors.ts";
import type { HostEvent } from "../../protocol/hostEvents.ts";
import type { AppliedReviews } from "./applied/appliedReviews.ts";
import type { PendingReviews } from "./pendingReviews.ts";
import type { EditReview } from "./review.ts";

/** When the user reviews an edit: before it is written, after, or not at all. */
export type ReviewMode = "before" | "after" | "off";

export interface ReviewsByMode {
  /** Asked anew for each edit. */
  mode(): ReviewMode;
  before: PendingReviews;
  after: AppliedReviews;
}

/** What the reviews need to know of one chat. */
export interface ReviewedChat {
  emit(event: HostEvent): void;
  /** Ids from the root agent down to this one. */
  lineage(agentId: string): readonly string[];
}

export function reviewByMode({ mode, before, after }: ReviewsByMode, { emit, lineage }: ReviewedChat): EditReview {
  const asking = before.reviewFor(emit);
  return {
    review: (proposal, signal) => {
      const now = mode();
      switch (now) {
        case "before":
          return asking.review(proposal, signal);
        case "after":
        case "off":
          return after.apply(proposal, { agentIds: lineage(proposal.agent.id), isPending: now === "after" }, signal);
        default:
          return assertNever(now);
      }
    },
  };
}
