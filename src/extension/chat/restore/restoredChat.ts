import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import {
  type AgentEvent,
  type AgentMessage,
  type AgentTree,
  emptyTree,
  foldTree,
  type TreeNode,
  type Usage,
} from "../../../agent/index.ts";
import { askersOf, type HostEvent, type Notice, type Rewind } from "../../../protocol/hostEvents.ts";
import { emptyHostState, type HostState, reduceHost } from "../../../protocol/hostState.ts";
import type { LogEntry } from "../../../protocol/messages.ts";
import type { Unfinished } from "../../sessions/records.ts";
import { interruptedWait } from "../../tools/interruptedReport.ts";
import { closeAgents, type ResultOf } from "./closeAgents.ts";
import { endUnfinished } from "./cutOffAnswers.ts";
import { noCards, type WaitingCards, waitingCardsIn } from "./leftCards.ts";

/** A root agent as its session left it. */
export interface EarlierAgent {
  id: string;
  messages: AgentMessage[];
  own: Usage;
  total: Usage;
}

/** A chat as its session gives it back. */
export interface RestoredChat {
  id: string;
  entries: LogEntry[];
  lastSeq: number;
  /** Numbers of agents' events go on after this one. */
  lastAgentSeq: number;
  /** What the log lacks, because the editor ended first; to be appended to it. */
  closing: { agents: AgentEvent[]; host: HostEvent[] };
  /** What waits for the user still. */
  left: WaitingCards;
  /** Absent when no agent ever ran. */
  root?: EarlierAgent;
  /** The fold of the log, without what closes it. */
  host: HostState;
  /** What was queued and never delivered. */
  queuedWords: string[];
  /** The rewinds that can be undone, the latest last. */
  rewinds: Rewind[];
}

export interface RestoreOptions {
  id: string;
  entries: readonly LogEntry[];
  lastSeq: number;
  /** What had begun and has no end in the entries. */
  unfinished?: readonly Unfinished[];
  /** All messages of the root agent, where `entries` do not hold all. */
  rootMessages?: readonly AgentMessage[];
  /** Whether a run without an end is shown as interrupted; a copy and what another window writes are not. */
  showsInterruption: boolean;
  /** Another window is at work in it: what has no end yet goes on there. Default: nothing of it runs any more. */
  isLive?: boolean;
  /** What is known of calls that were interrupted. */
  resultOf?: ResultOf | undefined;
  newId?: () => string;
}

export function interruptedWords(): string {
  return t("This run was interrupted: the editor was closed or reloaded while agents were at work.");
}

/** Notices that hold for one window only. */
export const windowNotices = {
  storage: "storage-trouble",
  readOnly: "read-only",
  /** What waits for an answer in another window. */
  elsewhere: "waiting-elsewhere",
  /** A resumed run that waits for answers. */
  waiting: "waiting-edits",
} as const;

/**
 * What a session's log comes to when nothing of it runs any more: agents without an end are closed, approvals and
 * questions wait on where their calls can run again and are withdrawn elsewhere, and no grant outlives the editor.
 */
export function restoreChat(options: RestoreOptions): RestoredChat {
  const { id, lastSeq, showsInterruption, isLive = false, newId = randomUUID } = options;
  const entries = withoutUnfinished(options.entries);
  const { tree, host } = foldLog(entries);
  const cut = isLive ? [] : endUnfinished(tree, options.unfinished ?? []);
  const left = showsInterruption && isCutOff(tree, host) ? waitingCardsIn(host) : noCards;
  const waiting = new Set([...left.approvals.flatMap(askersOf), ...left.questions].map(({ callId }) => callId));
  const resultOf: ResultOf = (callId) =>
    options.resultOf?.(callId) ?? (waiting.has(callId) ? { text: interruptedWait, isOpen: true } : undefined);
  const agents = isLive
    ? []
    : [
        ...cut,
        ...closeAgents(foldTree(tree, cut), {
          ...{ sessionId: id, newId, resultOf },
          lastEventAt: timeOfLast(entries, options.unfinished ?? []),
        }),
      ];
  const closed = foldTree(tree, agents);
  const root = rootOf(closed);
  const added = agents.flatMap((event) =>
    event.type === "message_end" && event.agent.id === root?.meta.id ? [event.message] : [],
  );
  const messages = options.rootMessages === undefined ? (root?.messages ?? []) : [...options.rootMessages, ...added];
  const cutOff = agents.flatMap((event) =>
    event.type === "agent_end" && event.reason === "aborted" ? [event.agent.id] : [],
  );
  const hostEvents = closeHost(host, { isElsewhere: !showsInterruption, left });
  if (showsInterruption && cutOff.length > 0) {
    hostEvents.push({ type: "interrupted", agentIds: [...host.interrupted, ...cutOff] });
    if (root !== undefined && cutOff.includes(root.meta.id) && messages.length > 0) {
      hostEvents.push({ type: "notice_shown", notice: interruptedNotice(newId()) });
    }
  }
  // It was to go on, and has not.
  if (showsInterruption && cutOff.length === 0 && host.notices.some(({ id: open }) => open === windowNotices.waiting)) {
    hostEvents.push({ type: "notice_shown", notice: interruptedNotice(newId()) });
  }
  const rewinds = undoableRewinds(host, entries, root && messages);
  if (host.undoableRewind !== undefined && rewinds.length === 0) hostEvents.push({ type: "rewind_changed" });
  return {
    id,
    entries,
    lastSeq,
    lastAgentSeq: tree.lastSeq,
    closing: { agents, host: hostEvents },
    left,
    host,
    // Those that no agent had are among the drafts.
    queuedWords: host.queue.flatMap(({ kind, text }) => (kind === "held" ? [] : text)),
    rewinds,
    ...(root !== undefined && {
      root: { id: root.meta.id, messages: [...messages], own: root.own, total: root.total },
    }),
  };
}

/** A message counts from its start: what came while it was written is later, and what tools did as well. */
function timeOfLast(entries: readonly LogEntry[], unfinished: readonly Unfinished[]): number {
  const saved = entries.flatMap((entry) => ("agent" in entry ? [entry.agent] : []));
  const events = [...saved, ...unfinished.flatMap((each) => each.events)];
  return events.reduce((last, { timestamp }) => Math.max(last, timestamp), 0);
}

/** Without those of which it is not known where the messages are that they removed. */
function undoableRewinds(
  host: HostState,
  entries: readonly LogEntry[],
  messages: readonly AgentMessage[] | undefined,
): Rewind[] {
  const { undoableRewind: latest, earlierRewinds } = host;
  if (latest === undefined || messages === undefined) return [];
  const found = latest.underWay === "rewind" ? cutOffRewind(latest, entries, messages) : latest;
  const seq = found.seq ?? (found.underWay === undefined ? rewoundAt(entries) : undefined);
  const all = [...earlierRewinds, { ...found, ...(seq !== undefined && { seq }) }];
  const isFindable = ({ what, seq: at, underWay }: Rewind) =>
    what === "files" || at !== undefined || underWay === "rewind";
  return all.filter(isFindable);
}

/** With where it took messages out, if it came to that before the editor ended. */
function cutOffRewind(rewind: Rewind, entries: readonly LogEntry[], messages: readonly AgentMessage[]): Rewind {
  if (rewind.what === "files" || messages.some(({ id }) => id === rewind.messageId)) return rewind;
  // The root agent's last event: it is read as what it adds to the messages, and a rewind adds none.
  const at = entries.findLast((entry) => "agent" in entry && entry.agent.agent.depth === 0);
  return at === undefined ? rewind : { ...rewind, seq: at.seq, after: messages.at(-1)?.id ?? "" };
}

/** The number of the entry by which the rewind took messages out: the root agent's last one before the event that says so. */
function rewoundAt(entries: readonly LogEntry[]): number | undefined {
  const index = entries.findLastIndex((entry) => "host" in entry && entry.host.type === "rewind_changed");
  return entries.slice(0, index).findLast((entry) => "agent" in entry && entry.agent.agent.depth === 0)?.seq;
}

function interruptedNotice(id: string): Notice {
  return { id, level: "warning", text: interruptedWords(), actions: ["resume"] };
}

/** The state of all agents and of the host after the entries. */
export function foldLog(entries: readonly LogEntry[]): { tree: AgentTree; host: HostState } {
  const agents: AgentEvent[] = [];
  let host = emptyHostState();
  for (const entry of entries) {
    if ("agent" in entry) agents.push(entry.agent);
    else host = reduceHost(host, entry.host);
  }
  return { tree: foldTree(emptyTree(), agents), host };
}

/** The root agent that was last at work. */
export function rootOf(tree: AgentTree): TreeNode | undefined {
  const id = tree.roots.findLast((root) => tree.nodes[root]?.meta.depth === 0) ?? tree.roots.at(-1);
  return id === undefined ? undefined : tree.nodes[id];
}

/** Words of which only a part is in the log itself: what was kept of them when the editor ended has an end. */
function withoutUnfinished(entries: readonly LogEntry[]): LogEntry[] {
  const finished = new Set(
    entries.flatMap((entry) =>
      "agent" in entry && entry.agent.type === "message_end" ? [entry.agent.message.id] : [],
    ),
  );
  return entries.filter(
    (entry) =>
      !("agent" in entry) ||
      (entry.agent.type !== "message_update" &&
        (entry.agent.type !== "message_start" || finished.has(entry.agent.message.id))),
  );
}

/** A run of the root agent has no end, or was cut off before and has not gone on. */
function isCutOff(tree: AgentTree, { interrupted }: HostState): boolean {
  const root = rootOf(tree);
  return root !== undefined && (root.status === "running" || interrupted.includes(root.meta.id));
}

/** Notices offer what is done in the chat they are in: not in a copy, nor while another window has it. */
function closeHost(host: HostState, { isElsewhere, left }: { isElsewhere: boolean; left: WaitingCards }): HostEvent[] {
  const events: HostEvent[] = [];
  for (const approval of host.approvals) {
    if (left.approvals.includes(approval)) continue;
    events.push({ type: "approval_closed", approvalId: approval.id, outcome: "canceled" });
  }
  for (const question of host.questions) {
    if (!left.questions.includes(question)) events.push({ type: "question_answered", questionId: question.id });
  }
  for (const question of host.runs.questions) {
    if (!left.budgets.includes(question)) events.push({ type: "budget_answered", questionId: question.id });
  }
  for (const agentId of host.runs.compacting) events.push({ type: "compaction_ended", agentId });
  if (host.queue.length > 0) events.push({ type: "queue_changed", items: [] });
  if (host.grants.length > 0) events.push({ type: "grants_changed", grants: [] });
  if (host.commands.length > 0) events.push({ type: "commands_changed", commands: [] });
  for (const { callId, chatTitle } of host.commands) {
    const hasEnded = chatTitle !== undefined || Object.hasOwn(host.commandOutcomes, callId);
    if (!hasEnded) events.push({ type: "command_ended", callId, outcome: { cause: "closed" } });
  }
  if (host.pendingEdits.length > 0 || host.undoneEdits !== undefined)
    events.push({ type: "pending_edits_changed", files: [] });
  const ofWindow: readonly string[] = Object.values(windowNotices);
  for (const { id } of host.notices) {
    if (isElsewhere || ofWindow.includes(id)) events.push({ type: "notice_closed", noticeId: id });
  }
  return events;
}
