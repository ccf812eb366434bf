import { transcriptText } from "../../chat/agents/transcriptText.ts";
import type { Chat } from "../../chat/chat.ts";
import { foldLog, rootOf } from "../../chat/restore/restoredChat.ts";

/** A chat as Markdown: its title, and what was said in it. Sub-agents appear by what they were told and reported. */
export async function chatMarkdown(chat: Chat): Promise<string> {
  const root = rootOf(foldLog(chat.log.entriesAfter(0) ?? []).tree);
  const kept = root !== undefined && chat.past?.hasEarlier === true ? await chat.past.messagesOf(root.meta.id) : [];
  const messages = kept.length > 0 ? kept : (root?.messages ?? []);
  return `# ${chat.title}\n\n${transcriptText(messages)}\n`;
}

/** A name for a file, without what file systems refuse. */
export function fileNameOf(title: string): string {
  const name = title
    .replace(/[^\p{L}\p{N} ._-]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 60)
    .replace(/^[. ]+|[. ]+$/g, "");
  return name === "" ? "chat" : name;
}
