import type { HostEvents } from "./hostEventSchemas.ts";

/** What only the host knows about a chat (hostEventSchemas.ts says it all). */
export type HostEvent = HostEvents[keyof HostEvents];

export type HunkDecision = HostEvents["hunk_decided"]["decision"];
export type ApprovalOutcome = HostEvents["approval_closed"]["outcome"];
export type Approval = HostEvents["approval_requested"]["approval"];
export type ApprovalAsker = Pick<Approval, "agentId" | "agentPath" | "callId">;
export type ApprovalRequest = NonNullable<Approval["request"]>;
export type ApprovalFile = Approval["files"][number];
export type ApprovalHunk = ApprovalFile["hunks"][number];
/** "undecided": it is there, to be kept or undone. "changed": its lines were changed since. "gone": it is removed. */
export type OnDisk = NonNullable<ApprovalHunk["onDisk"]>;
export type QueuedMessage = HostEvents["queue_changed"]["items"][number];
export type ContextBreakdown = HostEvents["context_measured"]["context"];
export type BackgroundCommand = HostEvents["commands_changed"]["commands"][number];
export type CommandOutcome = HostEvents["command_ended"]["outcome"];
export type Notice = HostEvents["notice_shown"]["notice"];
export type NoticeAction = Notice["actions"][number];
export type PendingEdits = HostEvents["pending_edits_changed"]["files"][number];
export type UndoneEdits = NonNullable<HostEvents["pending_edits_changed"]["undone"]>;
/** What one tool call wrote. */
export type WrittenEdit = Omit<HostEvents["edit_written"], "type">;
export type WrittenState = HostEvents["written_hunks_changed"]["state"];
export type Rewind = NonNullable<HostEvents["rewind_changed"]["undoable"]>;
export type RewindTarget = Rewind["what"];
export type PlanItem = HostEvents["plan_changed"]["items"][number];
export type ForeignAgent = Omit<HostEvents["foreign_agent"], "type">;
export type Comparison = HostEvents["comparison_changed"]["comparison"];
export type ComparedRun = Comparison["runs"][number];
export type FileRead = Omit<HostEvents["file_read"], "type">;
export type FileCollision = Omit<HostEvents["files_collided"], "type">;
export type HookRun = Omit<HostEvents["hook_ran"], "type">;
export type SteeredAgent = Omit<HostEvents["agent_steered"], "type">;
export type ReportCheck = Omit<HostEvents["report_checked"], "type">;
export type Question = HostEvents["question_asked"]["question"];

/** All who wait for the answer. */
export function askersOf(approval: Approval): readonly ApprovalAsker[] {
  return [approval, ...(approval.others ?? [])];
}

/** How far a step of a plan is. */
export const planStatuses = ["pending", "in_progress", "completed"] as const;
