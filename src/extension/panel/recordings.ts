import type { AgentEvent, AgentMessage } from "../../agent/types.ts";
import type { HostMessage, LogEntry, TimedEntry } from "../../protocol/messages.ts";
import type { Chat } from "../chat/chat.ts";
import { SessionGone, type SessionStorage } from "../sessions/session.ts";
import { stripEntry } from "./channel/stripEntry.ts";

/** "times": who did what when, without contents; "all": what a replay shows. */
type Detail = "times" | "all";

/** What was added to a log is sent four times a second. */
const liveMs = 250;

type RecordedChat = Pick<Chat, "id"> & { log: Pick<Chat["log"], "entriesAfter" | "onAppend"> };

/** What shows the log of a chat: a panel, or a replay. */
interface Follower {
  readonly chat: RecordedChat;
  send(message: HostMessage): void;
}

interface RecordingsOptions {
  sessions: Pick<SessionStorage, "readAll">;
  now(): number;
  /** Runs once after the delay unless the result is disposed before. */
  later(run: () => void, delayMs: number): { dispose(): void };
}

/** Sends panels and replays the whole log of their chat, as its session has it, and goes on with what is added. */
export class Recordings {
  readonly #options: RecordingsOptions;
  readonly #followed = new Map<Follower, { dispose(): void }>();

  constructor(options: RecordingsOptions) {
    this.#options = options;
  }

  async follow(follower: Follower, detail: Detail): Promise<void> {
    this.leave(follower);
    const { chat } = follower;
    const added: TimedEntry[] = [];
    let timer: { dispose(): void } | undefined;
    let isSent = false;
    let isLeft = false;
    const sendAdded = () => {
      timer = undefined;
      if (added.length > 0) this.#send(follower, chat, { entries: added.splice(0), detail, isWhole: true });
    };
    const listening = chat.log.onAppend((entry) => {
      added.push({ at: this.#options.now(), entry });
      if (isSent) timer ??= this.#options.later(sendAdded, liveMs);
    });
    this.#followed.set(follower, {
      dispose() {
        isLeft = true;
        listening.dispose();
        timer?.dispose();
      },
    });
    const isOver = () => isLeft || follower.chat !== chat;
    this.#send(follower, chat, { entries: [], detail, isFirst: true });
    const sent = await this.#sendStored(follower, chat, { detail, isOver }).catch((error: unknown) => {
      // What can't be read is not followed: what is added would wait for it as long as the panel is open.
      if (!isLeft) this.leave(follower);
      throw error;
    });
    if (isOver()) return;
    isSent = true;
    const waiting = added.splice(0).filter(({ entry }) => entry.seq > sent.lastSeq);
    const open = openParts(chat.log.entriesAfter(0) ?? [], sent);
    const known = new Set(open.map(({ seq }) => seq));
    const entries = [...open.map((entry) => ({ entry })), ...waiting.filter(({ entry }) => !known.has(entry.seq))];
    this.#send(follower, chat, { entries, detail, isWhole: true });
  }

  leave(follower: Follower): void {
    this.#followed.get(follower)?.dispose();
    this.#followed.delete(follower);
  }

  async #sendStored(follower: Follower, chat: RecordedChat, { detail, isOver }: { detail: Detail; isOver(): boolean }) {
    const sent = { lastSeq: 0, ended: new Set<string>() };
    const take = async (entries: readonly TimedEntry[]) => {
      if (isOver()) return;
      for (const { entry } of entries) note(sent, entry);
      this.#send(follower, chat, { entries, detail });
      // A long log leaves the editor time for other things.
      await new Promise((resolve) => setImmediate(resolve));
    };
    try {
      await this.#options.sessions.readAll(chat.id, take);
    } catch (error) {
      // A chat whose session could not be made is in memory alone.
      if (!(error instanceof SessionGone)) throw error;
      await take((chat.log.entriesAfter(0) ?? []).filter(({ seq }) => seq > sent.lastSeq).map((entry) => ({ entry })));
    }
    return sent;
  }

  #send(follower: Follower, chat: RecordedChat, part: RecordingPart): void {
    const { detail, isFirst = false, isWhole = false } = part;
    const entries = part.entries.flatMap((timed) => {
      const entry = detail === "times" ? timesOf(timed.entry) : stripEntry(timed.entry, () => true);
      return entry === undefined ? [] : [{ ...timed, entry }];
    });
    if (entries.length > 0 || isFirst || isWhole) {
      follower.send({ type: "recording", chatId: chat.id, isFirst, isWhole, entries });
    }
  }
}

interface RecordingPart {
  entries: readonly TimedEntry[];
  detail: Detail;
  isFirst?: boolean;
  isWhole?: boolean;
}

interface Sent {
  lastSeq: number;
  /** Ids of the messages and calls that have ended. */
  ended: Set<string>;
}

function note(sent: Sent, entry: LogEntry): void {
  sent.lastSeq = Math.max(sent.lastSeq, entry.seq);
  const key = "agent" in entry ? endedBy(entry.agent) : undefined;
  if (key !== undefined) sent.ended.add(key);
}

function endedBy(event: AgentEvent): string | undefined {
  if (event.type === "message_end") return event.message.id;
  return event.type === "tool_execution_end" ? event.callId : undefined;
}

/** Of answers and calls that go on: what a session's file has no record of. */
function openParts(entries: readonly LogEntry[], { ended }: Sent): LogEntry[] {
  return entries.filter((entry) => {
    if (!("agent" in entry)) return false;
    const { agent: event } = entry;
    if (event.type === "message_start") return !ended.has(event.message.id);
    if (event.type === "message_update") return !ended.has(event.messageId);
    return event.type === "tool_execution_update" && !ended.has(event.callId);
  });
}

const timedHostEvents = new Set<string>([
  "approval_requested",
  "approval_closed",
  "question_asked",
  "question_answered",
  "budget_asked",
  "budget_answered",
]);
const untimedAgentEvents = new Set<AgentEvent["type"]>([
  "turn_end",
  "tool_execution_update",
  "usage",
  "queue_update",
  "compaction_start",
  "compaction_end",
  "limit_reached",
  "validation",
  "transcript",
  "warning",
]);

/** What of an entry says who did what when: no contents. */
function timesOf(entry: LogEntry): LogEntry | undefined {
  if ("host" in entry) {
    if (!timedHostEvents.has(entry.host.type)) return undefined;
    if (entry.host.type !== "approval_requested") return entry;
    const { approval } = entry.host;
    const files = approval.files.slice(0, 1).map((file) => ({ ...file, hunks: [] }));
    return { ...entry, host: { ...entry.host, approval: { ...approval, files } } };
  }
  const { seq, agent: event } = entry;
  if (untimedAgentEvents.has(event.type)) return undefined;
  switch (event.type) {
    case "message_update":
      return undefined;
    case "message_start":
    case "message_end":
      return event.message.role === "assistant"
        ? { seq, agent: { ...event, message: withoutContent(event.message) } }
        : undefined;
    case "tool_execution_start":
      return { seq, agent: { ...event, args: {} } };
    case "tool_execution_end":
      return { seq, agent: { ...event, result: { content: "" } } };
    case "agent_end": {
      const { finalMessage: _message, result: _result, ...rest } = event;
      return { seq, agent: { ...rest, messages: [] } };
    }
    default:
      return entry;
  }
}

function withoutContent(message: Extract<AgentMessage, { role: "assistant" }>): AgentMessage {
  const { errorFacts: _facts, errorMessage: _text, ...rest } = message;
  return { ...rest, content: [] };
}
