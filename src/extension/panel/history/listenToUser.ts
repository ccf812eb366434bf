import type { AgentMessage } from "../../../agent/index.ts";
import type { Chat } from "../../chat/chat.ts";
import { wordsOf } from "../../chat/messageQueue.ts";
import type { SpokenWords } from "./spokenWords.ts";

/** Notes what the user said in a chat that was opened from its session: it may come from elsewhere. */
export function noteWords(chat: Chat, words: SpokenWords): void {
  words.begin(chat.id, chat.earlier?.messages.flatMap(saidIn) ?? []);
}

/** Notes what the user says in a chat, until the result is disposed. */
export function listenToUser(chat: Chat, words: SpokenWords): { dispose(): void } {
  return chat.log.onAppend((entry) => {
    if (!("agent" in entry) || entry.agent.type !== "message_end" || entry.agent.agent.depth > 0) return;
    for (const said of saidIn(entry.agent.message)) words.hear(chat.id, said);
  });
}

function saidIn(message: AgentMessage): string[] {
  return message.role === "user" ? [wordsOf(message)] : [];
}
