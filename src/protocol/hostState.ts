// Long because it is one fold: what each event of the host makes of its state.
import type { ShownGrant } from "./grants.ts";
import type { HostEvents } from "./hostEventSchemas.ts";
import {
  type Approval,
  type ApprovalAsker,
  type ApprovalOutcome,
  askersOf,
  type BackgroundCommand,
  type CommandOutcome,
  type Comparison,
  type ContextBreakdown,
  type FileCollision,
  type FileRead,
  type ForeignAgent,
  type HookRun,
  type HostEvent,
  type HunkDecision,
  type Notice,
  type PendingEdits,
  type PlanItem,
  type Question,
  type QueuedMessage,
  type ReportCheck,
  type Rewind,
  type SteeredAgent,
  type UndoneEdits,
  type WrittenEdit,
  type WrittenState,
} from "./hostEvents.ts";
import { emptyRunsState, type RunsState, reduceRuns, withQuestion } from "./runs.ts";

/** The fold of a chat's host events. */
export interface HostState {
  title: string | undefined;
  /** Open ones only, oldest first. */
  approvals: Approval[];
  queue: QueuedMessage[];
  notices: Notice[];
  /** By agent id. */
  contexts: Record<string, ContextBreakdown>;
  /** Written edits that wait for Keep or Undo, by file and agent. */
  pendingEdits: PendingEdits[];
  /** What can be redone of them, if anything. */
  undoneEdits: UndoneEdits | undefined;
  /** What tool calls wrote, in order. */
  writtenEdits: readonly WrittenEdit[];
  /** By hunk id: what became of written hunks; those without an entry are kept. */
  writtenStates: Readonly<Record<string, WrittenState>>;
  /** The rewind that can be undone, if any. */
  undoableRewind: Rewind | undefined;
  /** Those that can be undone after it, the oldest first. */
  earlierRewinds: readonly Rewind[];
  /** By agent id; no empty ones. */
  plans: Record<string, PlanItem[]>;
  /** Open ones only, oldest first. */
  questions: Question[];
  /** Ids of the agents whose run the end of the editor cut off. */
  interrupted: readonly string[];
  /** What the user allowed without being asked again. */
  grants: ShownGrant[];
  /** By call id: what let it through unasked. */
  allowedCalls: Record<string, ShownGrant>;
  /** By call id: how what was asked about a call was answered. */
  answeredCalls: Record<string, ApprovalOutcome>;
  /** Commands that run in the background. */
  commands: BackgroundCommand[];
  /** By call id: how background commands of this chat ended. */
  commandOutcomes: Record<string, CommandOutcome>;
  /** By agent id: those that run in another program. */
  foreignAgents: Record<string, ForeignAgent>;
  /** Ids of the agents that work in a worktree of their own, or did. */
  isolated: readonly string[];
  /** By task: the agent that began it in a worktree. */
  isolatedTasks: Readonly<Record<string, string>>;
  /** Tasks that were done several times, oldest first. */
  comparisons: readonly Comparison[];
  /** By `readKey`: what each agent has read of each file. */
  fileReads: Readonly<Record<string, FileRead>>;
  /** Writes that met other agents at the same file, oldest first. */
  collisions: readonly FileCollision[];
  /** By agent id, "" for the root agent: the latest hooks that were run for it, oldest first. */
  hookRuns: Record<string, readonly HookRun[]>;
  /** Ids of the agents that the user has paused, each with all below it. */
  pausedBranches: readonly string[];
  /** The messages of the user's that sub-agents have read, oldest first. */
  steered: readonly SteeredAgent[];
  /** By agent id: reports that have or had a flag. */
  reports: Readonly<Record<string, ReportCheck>>;
  /** Budgets, and contexts that are condensed. */
  runs: RunsState;
  /** Ids of the approvals and questions that are open, in the order in which they came. */
  pending: readonly string[];
}

/** The state of a chat before any event. */
export function emptyHostState(): HostState {
  return {
    title: undefined,
    approvals: [],
    queue: [],
    notices: [],
    contexts: {},
    pendingEdits: [],
    undoneEdits: undefined,
    writtenEdits: [],
    writtenStates: {},
    undoableRewind: undefined,
    earlierRewinds: [],
    plans: {},
    questions: [],
    interrupted: [],
    grants: [],
    allowedCalls: {},
    answeredCalls: {},
    commands: [],
    commandOutcomes: {},
    foreignAgents: {},
    isolated: [],
    isolatedTasks: {},
    comparisons: [],
    fileReads: {},
    collisions: [],
    hookRuns: {},
    pausedBranches: [],
    steered: [],
    reports: {},
    runs: emptyRunsState,
    pending: [],
  };
}

/** In `fileReads`. */
export function readKey({ agentId, path }: Pick<FileRead, "agentId" | "path">): string {
  return `${agentId} ${path}`;
}

/** Pure; an unknown event leaves the state unchanged, so that an older panel survives a newer log. */
export function reduceHost(state: HostState, event: HostEvent): HostState {
  const next = reduceEvent(state, event);
  return next.approvals === state.approvals && next.questions === state.questions && next.runs === state.runs
    ? next
    : { ...next, pending: pendingIds(next, state.pending) };
}

function reduceEvent(state: HostState, event: HostEvent): HostState {
  switch (event.type) {
    case "chat_titled":
      return { ...state, title: event.title };
    case "approval_requested":
      return { ...state, approvals: withQuestion(state.approvals, event.approval) };
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
      return closeApproval(state, event);
    case "queue_changed":
      return { ...state, queue: event.items };
    case "context_measured":
      return { ...state, contexts: { ...state.contexts, [event.agentId]: event.context } };
    case "notice_shown":
      return { ...state, notices: [...state.notices.filter((notice) => notice.id !== event.notice.id), event.notice] };
    case "notice_closed":
      return { ...state, notices: state.notices.filter((notice) => notice.id !== event.noticeId) };
    case "pending_edits_changed":
      return { ...state, pendingEdits: event.files, undoneEdits: event.undone };
    case "edit_written":
      return { ...state, writtenEdits: withWritten(state.writtenEdits, event) };
    case "written_hunks_changed": {
      const changed = Object.fromEntries(event.hunkIds.map((id) => [id, event.state]));
      return { ...state, writtenStates: { ...state.writtenStates, ...changed } };
    }
    case "rewind_changed":
      return { ...state, undoableRewind: event.undoable, earlierRewinds: event.earlier ?? [] };
    case "plan_changed":
      return { ...state, plans: withPlan(state.plans, event.agentId, event.items) };
    case "question_asked":
      return { ...state, questions: withQuestion(state.questions, event.question) };
    case "interrupted":
      return { ...state, interrupted: event.agentIds };
    case "question_answered":
      return { ...state, questions: state.questions.filter((question) => question.id !== event.questionId) };
    case "grants_changed":
      return { ...state, grants: event.grants };
    case "call_allowed":
      return { ...state, allowedCalls: { ...state.allowedCalls, [event.callId]: event.grant } };
    case "commands_changed":
      return { ...state, commands: event.commands };
    case "command_ended":
      return { ...state, commandOutcomes: { ...state.commandOutcomes, [event.callId]: event.outcome } };
    case "foreign_agent": {
      const { type: _, ...agent } = event;
      const { [agent.agentId]: _before, ...others } = state.foreignAgents;
      return { ...state, foreignAgents: agent.isLeft ? others : { ...others, [agent.agentId]: agent } };
    }
    case "files_collided": {
      const { type: _, ...collision } = event;
      const isSame = ({ callId, path }: FileCollision) => callId === event.callId && path === event.path;
      return { ...state, collisions: [...state.collisions.filter((each) => !isSame(each)), collision] };
    }
    case "agent_isolated": {
      const { agentId, task } = event;
      return {
        ...state,
        isolated: [...state.isolated.filter((id) => id !== agentId), agentId],
        ...(task !== undefined && { isolatedTasks: { ...state.isolatedTasks, [task]: agentId } }),
      };
    }
    case "comparison_changed": {
      const others = state.comparisons.filter(({ id }) => id !== event.comparison.id);
      return { ...state, comparisons: [...others, event.comparison] };
    }
    case "file_read": {
      const { type: _, ...read } = event;
      return { ...state, fileReads: { ...state.fileReads, [readKey(read)]: read } };
    }
    case "branches_paused":
      return { ...state, pausedBranches: event.agentIds };
    case "agent_steered": {
      const { type: _, ...steered } = event;
      return { ...state, steered: [...state.steered, steered] };
    }
    case "report_checked": {
      const { type: _, ...check } = event;
      return { ...state, reports: { ...state.reports, [check.agentId]: check } };
    }
    case "hook_ran": {
      const { type: _, ...run } = event;
      const { agentId = "" } = run;
      const runs = [...(state.hookRuns[agentId] ?? []), run].slice(-maxHookRuns);
      return { ...state, hookRuns: { ...state.hookRuns, [agentId]: runs } };
    }
    case "budget_changed":
    case "budget_asked":
    case "budget_answered":
    case "budget_used":
    case "compaction_started":
    case "compaction_ended":
      return { ...state, runs: reduceRuns(state.runs, event) };
    default:
      return state;
  }
}

/** A call that writes again says all that it has written. */
function withWritten(edits: readonly WrittenEdit[], edit: WrittenEdit): readonly WrittenEdit[] {
  const isSame = ({ callId, agentId }: WrittenEdit) => callId === edit.callId && agentId === edit.agentId;
  return edits.some(isSame) ? [...edits.filter((each) => !isSame(each)), edit] : [...edits, edit];
}

const maxHookRuns = 50;

function closeApproval(state: HostState, { approvalId, outcome }: HostEvents["approval_closed"]): HostState {
  const approvals = state.approvals.filter(({ id }) => id !== approvalId);
  const answeredCalls = { ...state.answeredCalls };
  for (const approval of state.approvals) {
    if (!approvals.includes(approval)) for (const { callId } of askersOf(approval)) answeredCalls[callId] = outcome;
  }
  return { ...state, approvals, answeredCalls };
}

function withPlan(plans: HostState["plans"], agentId: string, items: PlanItem[]): HostState["plans"] {
  const { [agentId]: _, ...others } = plans;
  return items.length === 0 ? others : { ...others, [agentId]: items };
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

/** Those that are open, known ones in the order they had. */
function pendingIds({ approvals, questions, runs }: HostState, known: readonly string[]): string[] {
  const open = new Set([...approvals, ...questions, ...runs.questions].map(({ id }) => id));
  return [...new Set([...known.filter((id) => open.has(id)), ...open])];
}

/** Something that waits for the user. */
export interface PendingDecision {
  id: string;
  /** Those who wait. */
  askers: readonly Pick<ApprovalAsker, "agentId" | "agentPath">[];
  /** The command, the file or the question; absent for a budget. */
  subject?: string;
}

/** All that waits for the user, oldest first. */
export function pendingDecisions({ approvals, questions, runs, pending }: HostState): PendingDecision[] {
  const all: PendingDecision[] = [
    ...approvals.map((approval) => ({
      id: approval.id,
      askers: askersOf(approval),
      subject: approval.request?.text ?? approval.files[0]?.path ?? approval.toolName,
    })),
    ...questions.map((question) => ({ id: question.id, askers: [question], subject: question.text })),
    ...runs.questions.map((question) => ({ id: question.id, askers: [question] })),
  ];
  return all.sort((a, b) => pending.indexOf(a.id) - pending.indexOf(b.id));
}

/** How many approvals and questions wait, those about budgets among the questions. */
export function pendingCounts({ approvals, questions, runs }: HostState): { approvals: number; questions: number } {
  return { approvals: approvals.length, questions: questions.length + runs.questions.length };
}

/** Whether the event may change what waits for the user. */
export function concernsPending({ type }: HostEvent): boolean {
  return pendingEvents.has(type);
}

const pendingEvents: ReadonlySet<HostEvent["type"]> = new Set<HostEvent["type"]>([
  "approval_requested",
  "approval_closed",
  "question_asked",
  "question_answered",
  "budget_asked",
  "budget_answered",
  "interrupted",
]);
