import { t } from "@vscode/l10n";
import type { AgentMessage } from "../../../agent/index.ts";
import type { Rewind } from "../../../protocol/hostEvents.ts";
import { UserError } from "../../common/userError.ts";
import type { SessionStorage } from "../../sessions/session.ts";
import type { EarlierAgent } from "./restoredChat.ts";

/** The messages that a rewind took out before the window was opened anew: the session's file has them still. */
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
