import fc from "fast-check";
import type { EndReason } from "../../../../src/agent/types.ts";
import type { HostEvent } from "../../../../src/protocol/hostEvents.ts";
import type { LogEntry } from "../../../../src/protocol/messages.ts";
import { type ChatLog, chatLog, type Turn } from "./chatLog.ts";

const words = fc.string({ unit: "grapheme", maxLength: 40 });

function turnOf(depth: number): fc.Arbitrary<Turn> {
  const call = fc.record(
    {
      prints: fc.array(words, { maxLength: 3 }),
      fails: fc.boolean(),
      ...(depth > 0 && { child: fc.array(turnOf(depth - 1), { minLength: 1, maxLength: 2 }) }),
    },
    { requiredKeys: [] },
  );
  return fc.record(
    { text: words, calls: fc.array(call, { maxLength: 2 }), isCompacted: fc.boolean() },
    { requiredKeys: ["text"] },
  );
}

const id = fc.constantFrom("1", "2", "3");
const approval = { agentId: "root", agentPath: ["main"], callId: "call-1", toolName: "edit_file", files: [] };
const question = { agentId: "root", agentPath: ["main"], callId: "call-1", text: "Which?", options: [] };
const hostEvent: fc.Arbitrary<HostEvent> = fc.oneof(
  words.map((title): HostEvent => ({ type: "chat_titled", title })),
  id.map((each): HostEvent => ({ type: "approval_requested", approval: { id: each, ...approval } })),
  id.map((approvalId): HostEvent => ({ type: "approval_closed", approvalId, outcome: "accepted" })),
  id.map(
    (each): HostEvent => ({
      type: "notice_shown",
      notice: { id: each, level: "info", text: "Look.", actions: [] },
    }),
  ),
  id.map((noticeId): HostEvent => ({ type: "notice_closed", noticeId })),
  fc.tuple(id, fc.array(words, { maxLength: 2 })).map(
    ([agentId, texts]): HostEvent => ({
      type: "plan_changed",
      agentId,
      items: texts.map((text) => ({ text, status: "pending" })),
    }),
  ),
  id.map((each): HostEvent => ({ type: "question_asked", question: { id: each, ...question } })),
  id.map((questionId): HostEvent => ({ type: "question_answered", questionId })),
  words.map(
    (path): HostEvent => ({
      type: "pending_edits_changed",
      files: [{ path, agentId: "root", agentPath: ["main"], hunks: 1, added: 1, removed: 0 }],
    }),
  ),
);

/** One thing that happens in a chat. As data, so that a failure shows what happened. */
type Act =
  | { type: "run"; text: string; turns: readonly Turn[]; reason: EndReason }
  | { type: "rewind"; number: number }
  | { type: "undo" }
  | { type: "checkpoint"; text: string }
  | { type: "host"; event: HostEvent };

export interface ChatScript {
  acts: readonly Act[];
  /** The run that is under way at the end, if any. */
  last: Turn | null;
}

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("run" as const),
      text: words,
      turns: fc.array(turnOf(2), { maxLength: 2 }),
      reason: fc.constantFrom<EndReason>("done", "aborted", "error"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("rewind" as const), number: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("undo" as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("checkpoint" as const), text: words }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("host" as const), event: hostEvent }) },
);

/** Chats of runs, rewinds, their undoing, summaries and what the host says; some stop in the middle of a run. */
export const randomChat: fc.Arbitrary<ChatScript> = fc.record({
  acts: fc.array(act, { minLength: 1, maxLength: 10 }),
  last: fc.option(turnOf(1)),
});

/** Never empty. */
export function logOf({ acts, last }: ChatScript): LogEntry[] {
  const log = chatLog().host({ type: "chat_titled", title: "" });
  for (const act of acts) play(log, act);
  if (last !== null) log.begin(last.text, { prints: ["half"], child: [last] });
  return log.entries;
}

function play(log: ChatLog, act: Act): void {
  switch (act.type) {
    case "run":
      log.run(act.text, act.turns, act.reason);
      break;
    case "rewind":
      log.rewind(act.number);
      break;
    case "undo":
      log.undo();
      break;
    case "checkpoint":
      log.checkpoint(act.text);
      break;
    case "host":
      log.host(act.event);
      break;
    default:
      act satisfies never;
  }
}
