import type { Approval, ContextBreakdown, HostEvent, HunkDecision, Notice, QueuedMessage } from "./hostEvents.ts";

/** The fold of a chat's host events. */
export interface HostState {
  title: string | undefined;
  /** Open ones only, oldest first. */
  approvals: Approval[];
  queue: QueuedMessage[];
  notices: Notice[];
  /** By agent id. */
  contexts: Record<string, ContextBreakdown>;
}

export function emptyHostState(): HostState {
  return { title: undefined, approvals: [], queue: [], notices: [], contexts: {} };
}

/** Pure; an unknown event leaves the state unchanged, so that an older panel survives a newer log. */
export function reduceHost(state: HostState, event: HostEvent): HostState {
  switch (event.type) {
    case "chat_titled":
      return { ...state, title: event.title };
    case "approval_requested":
      return { ...state, approvals: withApproval(state.approvals, event.approval) };
    case "hunk_decided":
      return {
        ...state,
        approvals: state.approvals.map((approval) =>
          approval.id === event.approvalId
            ? decideHunk(approval, event.hunkId, event.decision, event.reason)
            : approval,
        ),
      };
    case "approval_closed":
      return { ...state, approvals: state.approvals.filter((approval) => approval.id !== event.approvalId) };
    case "queue_changed":
      return { ...state, queue: event.items };
    case "context_measured":
      return { ...state, contexts: { ...state.contexts, [event.agentId]: event.context } };
    case "notice_shown":
      return { ...state, notices: [...state.notices.filter((notice) => notice.id !== event.notice.id), event.notice] };
    case "notice_closed":
      return { ...state, notices: state.notices.filter((notice) => notice.id !== event.noticeId) };
    default:
      return state;
  }
}

/** One that is already open is replaced in place: its hunks changed, because the user edited the proposal. */
function withApproval(approvals: readonly Approval[], approval: Approval): Approval[] {
  if (!approvals.some(({ id }) => id === approval.id)) return [...approvals, approval];
  return approvals.map((open) => (open.id === approval.id ? approval : open));
}

function decideHunk(approval: Approval, hunkId: string, decision: HunkDecision, reason: string | undefined): Approval {
  const files = approval.files.map((file) => ({
    ...file,
    hunks: file.hunks.map((hunk) =>
      hunk.id === hunkId ? { ...hunk, decision, ...(reason === undefined ? {} : { reason }) } : hunk,
    ),
  }));
  return { ...approval, files };
}
