import { t } from "@vscode/l10n";
import type { AgentMessage } from "../../agent/index.ts";
import type { SessionStorage } from "../sessions/session.ts";
import { UserError } from "../userError.ts";
import type { EarlierAgent } from "./restoredChat.ts";

/**
 * The messages that a rewind took out before the window was opened anew. A session is read without them, but a copy of
 * what it held before the rewind has them still.
 */
export async function takenMessages(
  sessions: Pick<SessionStorage, "fork" | "messagesOf" | "remove">,
  chat: { readonly id: string; readonly earlier: EarlierAgent | undefined },
  { seq, messageId }: { seq: number; messageId: string },
): Promise<AgentMessage[]> {
  const copy = await sessions.fork(chat.id, seq);
  try {
    const messages = await sessions.messagesOf(copy, chat.earlier?.id ?? "");
    const first = messages.findIndex(({ id }) => id === messageId);
    if (first >= 0) return messages.slice(first);
  } finally {
    await sessions.remove(copy);
  }
  throw new UserError(t("This rewind can't be undone any more: what it took out is not in the chat's file."));
}
