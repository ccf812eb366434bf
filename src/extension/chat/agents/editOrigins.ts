import type { AgentMessage } from "../../../agent/types.ts";
import { userMessage } from "../../../agent/vocabulary/messages.ts";
import type { HostEvent } from "../../../protocol/hostEvents.ts";
import { callReason, callTime, promptBefore } from "../../../protocol/writtenEdits.ts";
import type { EditHistory } from "../../changes/history/editHistory.ts";
import type { Author } from "../../changes/model/change.ts";
import type { EditOrigin } from "../../changes/provenance/authorHover.ts";
import { UserError } from "../../common/userError.ts";
import type { SessionStorage } from "../../sessions/session.ts";
import type { Chat } from "../chat.ts";
import type { EventLog } from "../log/eventLog.ts";

interface CallOrigins {
  of(author: Author): Promise<EditOrigin | undefined>;
}

/** So many calls are remembered: over the lines of one call the session is read once. */
const maxRemembered = 50;

/** Why calls were made, as their sessions know it. */
export function editOrigins(sessions: Pick<SessionStorage, "messagesOf">): CallOrigins {
  const known = new Map<string, Promise<EditOrigin | undefined>>();
  return {
    of(author) {
      const { chatId, callId } = author;
      if (chatId === undefined || callId === undefined) return Promise.resolve({});
      const key = JSON.stringify([chatId, callId, author.agentIds.at(-1)]);
      const found = known.get(key) ?? readOrigin(sessions, author, chatId, callId);
      known.delete(key);
      known.set(key, found);
      const forget = () => known.delete(key);
      // A call that is being made is not in its session yet. Who asked gets the failure.
      found.then((origin) => origin?.prompt === undefined && forget(), forget);
      for (const oldest of known.keys()) {
        if (known.size <= maxRemembered) break;
        known.delete(oldest);
      }
      return found;
    },
  };
}

async function readOrigin(
  sessions: Pick<SessionStorage, "messagesOf">,
  { agentIds }: Author,
  chatId: string,
  callId: string,
): Promise<EditOrigin | undefined> {
  const [root = "", agent = root] = [agentIds[0], agentIds.at(-1)];
  let own: AgentMessage[];
  let asked: AgentMessage[];
  try {
    own = await sessions.messagesOf(chatId, agent);
    asked = agent === root ? own : await sessions.messagesOf(chatId, root);
  } catch (error) {
    // It was deleted.
    if (error instanceof UserError) return undefined;
    throw error;
  }
  const reason = callReason(own, callId);
  const prompt = promptBefore(asked, callTime(own, callId) ?? Number.POSITIVE_INFINITY);
  return { ...(reason !== undefined && { reason }), ...(prompt !== undefined && { prompt }) };
}

interface UndoReason {
  /** Who wrote what was undone. */
  authors: readonly Author[];
  paths: readonly string[];
  reason: string;
}

/**
 * Why the user undid edits, for those that wrote them: at once where the agent, or one that it works for, is at work;
 * else the root agent gets it beside the next message.
 */
export function sendUndoReason(
  chat: Pick<Chat, "steer">,
  history: Pick<EditHistory, "addEvent">,
  { authors, paths, reason }: UndoReason,
): void {
  const writers = new Map(authors.map((author) => [author.agentIds.at(-1), author]));
  for (const { agentIds, agentPath } of writers.values()) {
    const textFor = (isOwn: boolean) =>
      `The user undid ${isOwn ? "your edits" : `edits of ${agentPath.join(" › ")}`} in ${paths.join(", ")}, and says why: ${reason.trim()}`;
    const writer = agentIds.at(-1);
    const isGiven = agentIds.toReversed().some((id) => chat.steer(id, userMessage(textFor(id === writer))));
    const [root] = agentIds;
    if (!isGiven && root !== undefined) history.addEvent(root, textFor(root === writer));
  }
}

/** What a call wrote, with why: the messages of a sub-agent are read again only when it is opened. */
export function withReason(event: HostEvent, log: Pick<EventLog, "messagesOf">): HostEvent {
  if (event.type !== "edit_written") return event;
  const reason = callReason(log.messagesOf(event.agentId), event.callId);
  return reason === undefined ? event : { ...event, reason };
}
