import { t } from "@vscode/l10n";
import type { HostEvent } from "../../../protocol/hostEvents.ts";
import type { SessionCursor, SessionStorage } from "../../sessions/session.ts";
import type { ChatRecord } from "../log/chatRecording.ts";
import { foldLog, type RestoredChat, restoreChat, rootOf, windowNotices } from "./restoredChat.ts";

/** A session, opened to be shown and, unless another window has it, to go on in. */
export interface OpenedSession {
  restored: RestoredChat;
  record?: ChatRecord;
  cursor?: SessionCursor;
  /** Another window writes to it; `followed` is where its file was read up to. */
  followed?: number;
  /** What was wrong with the file, as sentences for the user. */
  problems: string[];
}

export interface OpenSessionOptions {
  /** A copy was cut where the user wanted: that it ends there is no interruption. */
  isCopy?: boolean;
}

export async function openSession(
  storage: SessionStorage,
  id: string,
  { isCopy = false }: OpenSessionOptions = {},
): Promise<OpenedSession> {
  const { entries: page, carried, lastSeq, earlier, writer, problems, summary, end } = await storage.open(id);
  // Without anybody who works in it, what has no end will get none.
  const isLive = writer === undefined && !summary.isInterrupted;
  const entries = [...(carried ?? []), ...page];
  const root = earlier === undefined ? undefined : rootOf(foldLog(entries).tree);
  const restored = restoreChat({
    id,
    entries,
    lastSeq,
    tellsInterruption: !isCopy && writer !== undefined,
    isLive,
    ...(root !== undefined && { rootMessages: await storage.messagesOf(id, root.meta.id) }),
  });
  if (writer === undefined) restored.closing.host.push(...readOnlyEvents());
  return {
    restored,
    problems,
    ...(writer !== undefined && { record: writer }),
    ...(earlier !== undefined && { cursor: earlier }),
    ...(isLive && { followed: end }),
  };
}

function readOnlyEvents(): HostEvent[] {
  const text = t(
    "This chat is open in another window, so here it can only be read; what is said there appears here. What you send goes on in a copy.",
  );
  return [{ type: "notice_shown", notice: { id: windowNotices.readOnly, level: "info", text, actions: ["fork"] } }];
}
