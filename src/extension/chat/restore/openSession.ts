import { t } from "@vscode/l10n";
import type { AgentMessage } from "../../../agent/index.ts";
import type { Rewind } from "../../../protocol/hostEvents.ts";
import type { LogEntry } from "../../../protocol/messages.ts";
import { ownValue } from "../../../protocol/records.ts";
import { UserError } from "../../common/userError.ts";
import type { SessionCursor, SessionStorage } from "../../sessions/session.ts";
import { isInterruptedResult } from "../../tools/interruptedReport.ts";
import type { ChatRecord } from "../log/chatRecording.ts";
import { type FollowOptions, followNotice } from "./followChat.ts";
import type { InterruptedEdits } from "./interruptedEdits.ts";
import { type EarlierAgent, foldLog, type RestoredChat, restoreChat, rootOf } from "./restoredChat.ts";

/** A session, opened to be shown and, unless another window has it, to go on in. */
export interface OpenedSession {
  restored: RestoredChat;
  record?: ChatRecord;
  cursor?: SessionCursor;
  /** Another window has it. */
  followed?: Pick<FollowOptions, "from" | "host" | "unfinished">;
  /** Edits whose calls the end of the editor cut off. */
  edits?: InterruptedEdits;
  /** What was wrong with the file, as sentences for the user. */
  problems: string[];
}

/** Those of a chat; `hasResult` is about the root agent's calls that were not cut off, after all. */
export type ReadEdits = (id: string, hasResult: (callId: string) => boolean) => Promise<InterruptedEdits | undefined>;

export interface OpenSessionOptions {
  /** A copy was cut where the user wanted: that it ends there is no interruption. */
  isCopy?: boolean;
  /** What was left of edits; asked of a session that is this window's own. */
  interruptedEdits?: ReadEdits | undefined;
}

export async function openSession(
  storage: SessionStorage,
  id: string,
  { isCopy = false, interruptedEdits }: OpenSessionOptions = {},
): Promise<OpenedSession> {
  const session = await storage.open(id);
  const { entries: page, stateEntries, lastSeq, unfinished, earlier, writer, problems, summary, end } = session;
  // Without anybody who works in it, what has no end will get none.
  const isLive = writer === undefined && !summary.isInterrupted;
  const entries = [...(stateEntries ?? []), ...page];
  const root = earlier === undefined ? undefined : rootOf(foldLog(entries).tree);
  const edits = writer === undefined || isCopy ? undefined : await interruptedEdits?.(id, resultsIn(entries));
  const restored = restoreChat({
    id,
    entries,
    lastSeq,
    ...(unfinished !== undefined && { unfinished }),
    showsInterruption: !isCopy && writer !== undefined,
    isLive,
    resultOf: edits && ((callId) => edits.resultOf(callId)),
    ...(root !== undefined && { rootMessages: await storage.messagesOf(id, root.meta.id) }),
  });
  if (writer === undefined) restored.closing.host.push({ type: "notice_shown", notice: followNotice() });
  return {
    restored,
    problems,
    ...(edits !== undefined && { edits }),
    ...(writer !== undefined && { record: writer }),
    ...(earlier !== undefined && { cursor: earlier }),
    ...(isLive && { followed: { from: end, host: restored.host, unfinished: unfinished ?? [] } }),
  };
}

function resultsIn(entries: readonly LogEntry[]): (callId: string) => boolean {
  const roots = Object.values(foldLog(entries).tree.nodes).filter(({ meta }) => meta.depth === 0);
  return (callId) =>
    roots.some(({ tools }) => {
      const call = ownValue(tools, callId);
      const { content = "" } = call?.status === "running" ? {} : (call?.result ?? {});
      const [first] = typeof content === "string" ? [{ text: content }] : content;
      const text = first !== undefined && "text" in first ? first.text : "";
      return text !== "" && !isInterruptedResult(text);
    });
}

/** The messages that a rewind took out before the window was opened again: the session's file has them still. */
export async function takenMessages(
  sessions: Pick<SessionStorage, "messagesOf">,
  chat: { readonly id: string; readonly earlier: EarlierAgent | undefined },
  { seq, messageId }: Pick<Rewind, "seq" | "messageId">,
): Promise<AgentMessage[]> {
  const messages = seq === undefined ? [] : await sessions.messagesOf(chat.id, chat.earlier?.id ?? "", seq);
  const first = messages.findIndex(({ id }) => id === messageId);
  if (first >= 0) return messages.slice(first);
  throw new UserError(t("This rewind can't be undone any more: what it took out is not in the chat's file."));
}
