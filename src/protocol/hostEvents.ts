import type { ScopeOffer, ShownGrant } from "./grants.ts";
import type { RunsEvent } from "./runs.ts";

export type { Attachment } from "./attachments.ts";

/**
 * What only the host knows about a chat. Host events stand in the same log as the agents' events and are folded by
 * `reduceHost`; like those they are plain JSON.
 */
export type HostEvent =
  | { type: "chat_titled"; title: string }
  | { type: "approval_requested"; approval: Approval }
  | { type: "hunk_decided"; approvalId: string; hunkId: string; decision: HunkDecision; reason?: string }
  | { type: "approval_closed"; approvalId: string; outcome: ApprovalOutcome }
  | { type: "queue_changed"; items: QueuedMessage[] }
  | { type: "context_measured"; agentId: string; context: ContextBreakdown }
  | { type: "notice_shown"; notice: Notice }
  | { type: "notice_closed"; noticeId: string }
  /** An agent's plan; always the whole. An empty one is gone. */
  | { type: "plan_changed"; agentId: string; items: PlanItem[] }
  | { type: "question_asked"; question: Question }
  /** Without an answer: the question was withdrawn, because its agent was stopped. */
  | { type: "question_answered"; questionId: string; answer?: string }
  /** Edits that are written and wait for Keep or Undo; always the whole list. */
  | { type: "pending_edits_changed"; files: PendingEdits[]; undone?: UndoneEdits }
  /** The latest rewind that can be undone; without one, none can. After it, those before it can, the oldest first. */
  | { type: "rewind_changed"; undoable?: Rewind; earlier?: Rewind[] }
  /** Agents whose run the end of the editor cut off; always the whole list. */
  | { type: "interrupted"; agentIds: string[] }
  /** What the user allowed without being asked again; always the whole list. */
  | { type: "grants_changed"; grants: ShownGrant[] }
  /** A call went through unasked, by what the user had allowed. */
  | { type: "call_allowed"; callId: string; grant: ShownGrant }
  /** Commands that run in the background, of this chat and of others that are open; always the whole list. */
  | { type: "commands_changed"; commands: BackgroundCommand[] }
  /** A background command of this chat has ended. */
  | { type: "command_ended"; callId: string; outcome: CommandOutcome }
  /** Budgets and the condensing of contexts. */
  | RunsEvent;

export type HunkDecision = "pending" | "accepted" | "rejected";
export type ApprovalOutcome = "accepted" | "rejected" | "partly" | "canceled";

/** Who waits for an answer. */
export interface ApprovalAsker {
  agentId: string;
  /** Names from the root agent down. */
  agentPath: string[];
  callId: string;
}

/** An edit, a command, a fetch or the reading of a file with secrets that waits for an answer. */
export interface Approval extends ApprovalAsker {
  id: string;
  /** Who wants the very same; the answer is for them as well. Absent where nobody does. */
  others?: ApprovalAsker[];
  toolName: string;
  files: ApprovalFile[];
  /** In place of files: a command that waits to be run, an address to be fetched, or a file to be read. */
  request?: ApprovalRequest;
  /** Answers that reach further than this once; absent where each time is asked. */
  scopes?: ScopeOffer[];
  /** The end of the editor cut the call off: nobody waits for the answer, and some of it may be written. */
  isInterrupted?: true;
}

/** All who wait for the answer. */
export function askersOf(approval: Approval): readonly ApprovalAsker[] {
  return [approval, ...(approval.others ?? [])];
}

export interface ApprovalRequest {
  kind: "command" | "fetch" | "read";
  /** All of the command or address, or the path of the file; what can't be seen in it is written out. */
  text: string;
  /** Lines that say where it runs or goes, and what is odd about it. */
  detail?: string;
}

export interface ApprovalFile {
  path: string;
  change: "add" | "update" | "delete";
  /** A deletion that is a move: the file goes there as it is, and its one hunk has no lines. */
  movedTo?: string;
  languageId: string;
  hunks: ApprovalHunk[];
}

/** Lines count from 1. */
export interface ApprovalHunk {
  id: string;
  oldStart: number;
  oldLines: string[];
  newStart: number;
  newLines: string[];
  decision: HunkDecision;
  reason?: string;
  /** Of an interrupted edit: it was written before the editor ended, and what became of it since. */
  onDisk?: OnDisk;
}

/** "undecided": it is there, to be kept or undone. "changed": its lines were changed since. "gone": it is not there any more. */
export type OnDisk = "undecided" | "kept" | "undone" | "changed" | "gone";

export interface QueuedMessage {
  id: string;
  text: string;
  kind: "steering" | "followUp";
  /** How many; absent without any. */
  attachmentCount?: number;
  /** The name of the sub-agent that is told; absent for the root agent. */
  to?: string;
}

/** Estimated tokens of an agent's context by category. `reserved` is room kept for the answer. */
export interface ContextBreakdown {
  system: number;
  tools: number;
  messages: number;
  files: number;
  toolResults: number;
  reserved: number;
  /** Size of the context window; absent when unknown. */
  window?: number;
  /** What the next request will show, after a compaction; otherwise what the last one did. */
  isAhead?: true;
}

/** A command that runs in the background. */
export interface BackgroundCommand {
  id: string;
  /** The tool call that started it. */
  callId: string;
  agentId: string;
  /** Names from the root agent down. */
  agentPath: string[];
  command: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** The title of the chat that it belongs to; absent for the chat itself. */
  chatTitle?: string;
}

/** How a background command ended. */
export interface CommandOutcome {
  /** `exit`: by itself. `stopped`: by an agent or with its run. `closed`: with the chat or the window. */
  cause: "exit" | "timeout" | "stopped" | "user" | "closed";
  /** Of an exit; absent when a signal ended it. */
  exitCode?: number;
  signal?: string;
  /** Absent when nobody saw it end. */
  durationMs?: number;
}

/** A problem a person can do something about: one sentence and its buttons. */
export interface Notice {
  id: string;
  level: "info" | "warning" | "error";
  text: string;
  actions: NoticeAction[];
}

export type NoticeAction =
  | "setUp"
  | "useDemo"
  | "selectModel"
  | "setApiKey"
  | "openSettings"
  | "retry"
  | "showLog"
  /** Goes on with a run that was interrupted. */
  | "resume"
  /** Goes on in a copy of the chat. */
  | "fork"
  /** Goes on in a chat that another window has closed. */
  | "continueHere"
  /** Makes room in the context and asks again. */
  | "compact"
  | "openFolder";

/** What one agent wrote into one file and nobody has kept or undone yet. */
export interface PendingEdits {
  path: string;
  agentId: string;
  /** Names from the root agent down. */
  agentPath: string[];
  /** Where the file was, when the agent moved it. */
  movedFrom?: string;
  /** How many separate changes. */
  hunks: number;
  /** Lines. */
  added: number;
  removed: number;
}

/** What the latest undo of written edits took away, and a redo brings back. */
export interface UndoneEdits {
  files: number;
  hunks: number;
}

/** What was taken back to before a message of the user's. */
export interface Rewind {
  messageId: string;
  what: RewindTarget;
  /** Absent in what older versions wrote. */
  id?: string;
  /** The number of the log's entry by which messages were removed, where any were. */
  seq?: number;
  /** The id of the last message that was left; empty when none was. */
  after?: string;
}

export type RewindTarget = "files" | "conversation" | "both";

/** How far a step of a plan is. */
export const planStatuses = ["pending", "in_progress", "completed"] as const;

export interface PlanItem {
  text: string;
  status: (typeof planStatuses)[number];
}

/** What an agent wants to know from the user, and waits for. */
export interface Question {
  id: string;
  agentId: string;
  /** Names from the root agent down. */
  agentPath: string[];
  callId: string;
  text: string;
  /** Answers to choose from, perhaps none; the user may always write another one. */
  options: string[];
}
