import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import { type AgentEvent, foldTree } from "../../../agent/index.ts";
import { hostEventsWith } from "../../../protocol/hostEventSchemas.ts";
import type { HostEvent, Notice } from "../../../protocol/hostEvents.ts";
import { concernsPending, emptyHostState, type HostState, reduceHost } from "../../../protocol/hostState.ts";
import { isWords, type Unfinished, wordsIn } from "../../sessions/records.ts";
import { SessionGone, type SessionStorage } from "../../sessions/session.ts";
import type { Chat } from "../chat.ts";
import { closeAgents } from "./closeAgents.ts";
import { endUnfinished } from "./cutOffAnswers.ts";
import { foldLog, windowNotices } from "./restoredChat.ts";

/** What the host of another window says that holds here as well; what can be answered is answered there. */
const followed = hostEventsWith("isFollowed");

/** A window that is reloaded has its chats again after so many looks. */
const looksUntilLeft = 5;

/** Between the numbers of two events there is room for a million. */
const seqStep = 1e-6;

export interface FollowOptions {
  storage: Pick<SessionStorage, "readNew" | "messagesOf" | "readUnfinished">;
  /** Up to where the session's file was read, in bytes. */
  from: number;
  /** Answers that had no end there. */
  unfinished: readonly Unfinished[];
  /** The state of the other window's host, at that point of the file. */
  host: HostState;
  /** Calls again and again, until it is disposed. */
  repeatedly(look: () => void): { dispose(): void };
  /** Called when a window goes on with the chat that was taken for left: what is shown here is not all of it any more. */
  onReturn(): void;
  onFailure(error: unknown): void;
}

/**
 * Brings what another window writes to a chat's session into the chat, and says what that window does: that it waits for
 * an answer, has closed the chat, or has deleted it.
 */
export function followChat(chat: Chat, options: FollowOptions): { dispose(): void } {
  const { storage, repeatedly, onReturn, onFailure } = options;
  let { host } = options;
  let end = options.from;
  let isLooking = false;
  /** How often no window had it. */
  let looksWithout = 0;
  let isGone = false;
  /** Of the agents' events that are here. */
  let { lastSeq } = foldLog(chat.log.entriesAfter(0) ?? []).tree;

  showPending(chat, host);
  for (const event of options.unfinished.flatMap(wordsIn)) takeNext(event);

  async function look(): Promise<void> {
    const read = await storage.readNew(chat.id, end);
    if (isGone) chat.notices.show(followNotice());
    isGone = false;
    end = read.end;
    for (const entry of read.entries) {
      if ("host" in entry) {
        host = reduceHost(host, entry.host);
        if (concernsPending(entry.host)) showPending(chat, host);
        applyHostEvent(chat, entry.host);
      } else if (isWords(entry.agent)) takeNext(entry.agent);
      else takeNumbered(await whole(entry.agent, entry.seq));
    }
    if (read.isLive || read.entries.length > 0) await returned();
    else await left();
  }

  function takeNumbered(event: AgentEvent): void {
    lastSeq = Math.max(lastSeq, event.seq);
    take(chat, event);
  }

  /** Words are saved a while after they were said: other agents' events with higher numbers may be here already. */
  function takeNext(event: AgentEvent): void {
    takeNumbered({ ...event, seq: lastSeq + seqStep });
  }

  async function returned(): Promise<void> {
    if (looksWithout === 0) return;
    const wasLeft = looksWithout > looksUntilLeft;
    looksWithout = 0;
    chat.isClosedElsewhere = false;
    if (wasLeft) {
      looking.dispose();
      onReturn();
    } else chat.notices.show(followNotice());
  }

  async function left(): Promise<void> {
    looksWithout += 1;
    if (looksWithout === 1) {
      chat.isClosedElsewhere = true;
      chat.notices.show(leftNotice());
    }
    if (looksWithout !== looksUntilLeft + 1) return;
    host = emptyHostState();
    showPending(chat, host);
    // What has no end yet gets none any more.
    const unfinished = await storage.readUnfinished(chat.id);
    const entries = chat.log.entriesAfter(0) ?? [];
    const ended = entries.filter((entry) => !("agent" in entry && isWords(entry.agent)));
    const tree = { ...foldLog(ended).tree, lastSeq: foldLog(entries).tree.lastSeq };
    const cut = endUnfinished(tree, unfinished);
    for (const event of cut) take(chat, event);
    for (const event of closeAgents(foldTree(tree, cut), { sessionId: chat.id, newId: randomUUID })) take(chat, event);
  }

  /** A rewind says only which messages stay. */
  async function whole(event: AgentEvent, seq: number): Promise<AgentEvent> {
    if (event.type !== "transcript") return event;
    return { ...event, messages: await storage.messagesOf(chat.id, event.agent.id, seq + 1) };
  }

  function failed(error: unknown): void {
    if (error instanceof SessionGone) {
      // It may be restored there.
      if (!isGone) chat.notices.show(goneNotice());
      isGone = true;
      return;
    }
    looking.dispose();
    onFailure(error);
  }

  const looking = repeatedly(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch(failed)
      .finally(() => {
        isLooking = false;
      });
  });
  return looking;
}

export function followNotice(): Notice {
  const text = t(
    "This chat is open in another window, or in one that has not ended yet. Here you can read along; what you send goes on in a copy.",
  );
  return { id: windowNotices.readOnly, level: "info", text, actions: ["fork"] };
}

function leftNotice(): Notice {
  const text = t("The other window has closed this chat. What you send goes on here.");
  return { id: windowNotices.readOnly, level: "info", text, actions: ["continueHere"] };
}

function goneNotice(): Notice {
  const text = t("This chat was deleted in another window. What you send starts a new chat.");
  return { id: windowNotices.readOnly, level: "warning", text, actions: [] };
}

function pendingText(host: HostState, id: string): string {
  const approval = host.approvals.find((each) => each.id === id);
  if (approval !== undefined) {
    return asking(approval.agentPath, approval.request?.text ?? approval.files.map(({ path }) => path).join(", "));
  }
  const question = host.questions.find((each) => each.id === id);
  if (question !== undefined) return asking(question.agentPath, question.text);
  return t("An agent is paused: budget reached");
}

function asking(agentPath: readonly string[], what: string): string {
  return t(
    "{0} waits for your answer: {1}",
    agentPath.join(" › "),
    what.length > 200 ? `${what.slice(0, 200)}…` : what,
  );
}

/** The notice of what waits in the other window. */
function showPending(chat: Chat, host: HostState): void {
  const [first] = host.pending;
  if (first === undefined) {
    chat.notices.close(windowNotices.elsewhere);
    return;
  }
  const where = t("Answer in the window that runs this chat.");
  const more = host.pending.length > 1 ? t("{0} more requests wait.", host.pending.length - 1) : undefined;
  const text = [pendingText(host, first), more, where].filter((sentence) => sentence !== undefined).join(" ");
  chat.notices.show({ id: windowNotices.elsewhere, level: "info", text, actions: [] });
}

function applyHostEvent(chat: Chat, event: HostEvent): void {
  if (event.type === "chat_titled") chat.rename(event.title);
  else if (followed.has(event.type)) chat.emit(event);
}

function take(chat: Chat, event: AgentEvent): void {
  chat.log.appendAgent(event);
  const { earlier } = chat;
  if (earlier === undefined || event.agent.id !== earlier.id) return;
  if (event.type === "message_end") earlier.messages.push(event.message);
  if (event.type === "transcript") earlier.messages.splice(0, Number.POSITIVE_INFINITY, ...event.messages);
}

/** How what another window writes is looked for. */
export function everySecond(look: () => void): { dispose(): void } {
  const timer = setInterval(look, 1_000);
  // It keeps nothing alive.
  timer.unref();
  return { dispose: () => clearInterval(timer) };
}
