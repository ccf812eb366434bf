import { randomUUID } from "node:crypto";
import { t } from "@vscode/l10n";
import type { AgentEvent } from "../../../agent/index.ts";
import type { HostEvent } from "../../../protocol/hostEvents.ts";
import type { SessionStorage } from "../../sessions/session.ts";
import type { Chat } from "../chat.ts";
import { closeAgents } from "./closeAgents.ts";
import { foldLog, windowNotices } from "./restoredChat.ts";

/** What the host of another window says that holds here as well; what can be answered is answered there. */
const followed: ReadonlySet<HostEvent["type"]> = new Set<HostEvent["type"]>([
  "chat_titled",
  "plan_changed",
  "context_measured",
  "call_allowed",
  "compaction_started",
  "compaction_ended",
]);

export interface FollowOptions {
  storage: Pick<SessionStorage, "readNew" | "messagesOf">;
  /** Up to where the session's file was read, in bytes. */
  from: number;
  /** Calls again and again, until it is disposed. */
  repeatedly(look: () => void): { dispose(): void };
  onFailure(error: unknown): void;
}

/** Brings what another window writes to a chat's session into the chat, until that window lets go of it. */
export function followChat(chat: Chat, { storage, from, repeatedly, onFailure }: FollowOptions): { dispose(): void } {
  let end = from;
  let isLooking = false;

  async function look(): Promise<void> {
    const read = await storage.readNew(chat.id, end);
    end = read.end;
    for (const entry of read.entries) {
      if ("host" in entry) hear(chat, entry.host);
      else take(chat, await whole(entry.agent, entry.seq));
    }
    if (read.isLive || read.entries.length > 0) return;
    looking.dispose();
    letGo(chat);
  }

  /** A rewind says only which messages stay. */
  async function whole(event: AgentEvent, seq: number): Promise<AgentEvent> {
    if (event.type !== "transcript") return event;
    return { ...event, messages: await storage.messagesOf(chat.id, event.agent.id, seq + 1) };
  }

  const looking = repeatedly(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch((error: unknown) => {
        looking.dispose();
        onFailure(error);
      })
      .finally(() => {
        isLooking = false;
      });
  });
  return looking;
}

function hear(chat: Chat, event: HostEvent): void {
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

/** What has no end yet gets none any more. */
function letGo(chat: Chat): void {
  const { tree } = foldLog(chat.log.entriesAfter(0) ?? []);
  for (const event of closeAgents(tree, { sessionId: chat.id, newId: randomUUID })) take(chat, event);
  const text = t(
    "The other window has closed this chat. What you send goes on in a copy; open it again to go on here.",
  );
  chat.notices.show({ id: windowNotices.readOnly, level: "info", text, actions: ["fork"] });
}
