import type { HostEvent } from "./hostEvents.ts";

type EventOf<Type extends HostEvent["type"]> = Extract<HostEvent, { type: Type }>;

interface Traits<Type extends HostEvent["type"]> {
  /** What the event is about, where later ones replace or end it. */
  key?(event: EventOf<Type>): string;
  /** Only the latest counts; with a key, the latest of each. Absent: all of them count. */
  isState?: true;
  /** The type of the event with the same key that this one ends. */
  ends?: HostEvent["type"];
  /** A window that follows another one's chat takes it over. Absent: it is answered, or holds, there alone. */
  isFollowed?: true;
}

/** Of each type of host event what sessions and other windows have to know of it. */
export const hostEventTraits: { readonly [Type in HostEvent["type"]]: Traits<Type> } = {
  chat_titled: { isState: true, isFollowed: true },
  approval_requested: { key: ({ approval }) => approval.id },
  hunk_decided: { key: ({ approvalId }) => approvalId },
  approval_closed: { key: ({ approvalId }) => approvalId, ends: "approval_requested" },
  queue_changed: { isState: true },
  context_measured: { key: ({ agentId }) => agentId, isState: true, isFollowed: true },
  notice_shown: { key: ({ notice }) => notice.id, isState: true },
  notice_closed: { key: ({ noticeId }) => noticeId, ends: "notice_shown" },
  plan_changed: { key: ({ agentId }) => agentId, isState: true, isFollowed: true },
  question_asked: { key: ({ question }) => question.id },
  question_answered: { key: ({ questionId }) => questionId, ends: "question_asked" },
  pending_edits_changed: { isState: true },
  edit_written: { isFollowed: true },
  written_hunks_changed: { isFollowed: true },
  rewind_changed: { isState: true },
  interrupted: { isState: true },
  grants_changed: { isState: true },
  call_allowed: { isFollowed: true },
  commands_changed: {},
  command_ended: {},
  budget_changed: {},
  budget_asked: {},
  budget_answered: {},
  budget_used: { key: ({ agentId }) => agentId, isState: true, isFollowed: true },
  foreign_agent: { key: ({ agentId }) => agentId, isState: true, isFollowed: true },
  files_collided: { key: ({ callId, path }) => `${callId} ${path}`, isState: true, isFollowed: true },
  agent_isolated: { key: ({ agentId }) => agentId, isState: true, isFollowed: true },
  comparison_changed: { key: ({ comparison }) => comparison.id, isState: true, isFollowed: true },
  file_read: { key: ({ agentId, path }) => `${agentId} ${path}`, isState: true, isFollowed: true },
  hook_ran: { isFollowed: true },
  branches_paused: { isState: true },
  agent_steered: { key: ({ messageId }) => messageId, isState: true, isFollowed: true },
  report_checked: { key: ({ agentId }) => agentId, isState: true, isFollowed: true },
  compaction_started: { isFollowed: true },
  compaction_ended: { isFollowed: true },
};

/** The types of host events with a trait. */
export function hostEventsWith(trait: keyof Traits<HostEvent["type"]>): ReadonlySet<string> {
  return new Set(Object.entries(hostEventTraits).flatMap(([type, traits]) => (trait in traits ? [type] : [])));
}

/** Undefined for one that is about nothing further, or comes from a newer version. */
export function keyOfHostEvent(event: HostEvent): string | undefined {
  if (!Object.hasOwn(hostEventTraits, event.type)) return undefined;
  // Each entry takes events of its own type: the compiler can't follow one event through the union.
  const { key } = hostEventTraits[event.type] as Traits<HostEvent["type"]>;
  return key?.(event);
}
