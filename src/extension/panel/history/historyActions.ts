import { t } from "@vscode/l10n";
import type { UserMessage } from "../../../agent/index.ts";
import { type Attachment, attachmentsOf } from "../../../protocol/attachments.ts";
import { forkMoment } from "../../../protocol/forkMoment.ts";
import type { HistoryIntent } from "../../../protocol/intents.ts";
import type { LogEntry } from "../../../protocol/messages.ts";
import { transcriptText } from "../../chat/agents/transcriptText.ts";
import type { Chat } from "../../chat/chat.ts";
import type { Chats } from "../../chat/chats.ts";
import { wordsOf } from "../../chat/messageQueue.ts";
import { foldLog, rootOf } from "../../chat/restore/restoredChat.ts";
import { UserError } from "../../common/userError.ts";
import { SessionGone, type SessionStorage } from "../../sessions/session.ts";
import type { IntentTable } from "../intents/intentHandlers.ts";
import type { Panel } from "../panel.ts";
import type { HistoryBoard } from "./historyList.ts";

/** What the history does beyond the chats: editor tabs and files. */
export interface HistoryDependencies {
  chats: Chats;
  sessions: SessionStorage;
  board: HistoryBoard;
  /** The chat's conversation, or another view of it. */
  openInEditor(chat: Chat, view?: "timeline"): void;
  /** Panels turn away from the chat and its editor tabs close. */
  leave(chat: Chat): void;
  /** Panels that show the one show the other. */
  showInstead(chat: Chat, next: Chat): void;
  /** Asks where, and writes. */
  exportChat(chat: Chat): Promise<void>;
  /** Sends the panel who did what when in its chat. */
  followRecording(panel: Panel): Promise<void>;
  leaveRecording(panel: Panel): unknown;
  /** The chat as it was at any moment, in an editor tab. */
  replay(chatId: string): Promise<void>;
  /** Asks for a file; undefined when the user left. */
  readImport(): Promise<string | undefined>;
  /** Where the file system shows it. */
  showFile(path: string): Promise<void>;
  compose(panel: Panel, text: string, attachments: readonly Attachment[]): void;
  /** Says it to the user, wherever they look. */
  notify(text: string): void;
  /** Called when a chat that was only looked at is not needed any more. */
  closeUnused(chat: Chat): void;
}

/** What a panel asks about chats beside the one it shows. */
export function createHistoryActions(dependencies: HistoryDependencies) {
  const { chats, sessions, board } = dependencies;

  async function fork(panel: Panel, chat: Chat, messageId: string | undefined): Promise<void> {
    if (messageId === undefined) {
      panel.show(await copyOf(chat));
      return;
    }
    const point = forkPoint(chat.log.entriesAfter(0) ?? [], messageId);
    if (point === undefined)
      throw new UserError(t("This message is not in the conversation any more. Choose another one."));
    panel.show(point.isFirst ? chats.create() : await copyOf(chat, point.seq));
    dependencies.compose(panel, wordsOf(point.message), attachmentsOf(point.message));
  }

  async function copyOf(chat: Chat, beforeSeq?: number): Promise<Chat> {
    if (!chat.hasMessages) throw new UserError(t("There is nothing to fork yet: say something first."));
    const copy = await chats.open(await sessions.fork(chat.id, beforeSeq), { isCopy: true });
    // Not renamed: what has a new name and is not shown yet would be closed as nothing that is needed.
    copy.emit({ type: "chat_titled", title: t("{0} (fork)", chat.title) });
    return copy;
  }

  /** A copy as the chat was after the entry of that number, or before the run that was going on then. */
  async function forkAt(panel: Panel, chatId: string, seq: number): Promise<void> {
    const entries: LogEntry[] = [];
    await sessions.readAll(chatId, async (piece) => void entries.push(...piece.map(({ entry }) => entry)));
    const position = entries.findLastIndex((entry) => entry.seq <= seq) + 1;
    const moment = forkMoment(entries, position);
    if (moment === undefined) throw new UserError(t("There is nothing to fork yet: say something first."));
    const chat = await chats.open(chatId);
    try {
      panel.show(moment.isFirst ? chats.create() : await copyOf(chat, moment.beforeSeq));
    } finally {
      dependencies.closeUnused(chat);
    }
    if (!moment.isInRun) return;
    if (moment.message === undefined) {
      dependencies.notify(t("An agent was at work at this moment: the new chat ends before it started."));
      return;
    }
    dependencies.compose(panel, wordsOf(moment.message), attachmentsOf(moment.message));
    dependencies.notify(
      t("An agent was at work at this moment: the new chat ends before the message, which is in the composer."),
    );
  }

  async function replay(chatId: string): Promise<void> {
    if (chats.find(chatId)?.hasMessages === false)
      throw new UserError(t("There is nothing to replay yet: say something first."));
    await dependencies.replay(chatId);
  }

  async function rename(chatId: string, title: string): Promise<void> {
    const open = chats.find(chatId);
    if (open === undefined) return sessions.rename(chatId, title);
    if (!open.isReadOnly) return open.rename(title);
    const again = open.isClosedElsewhere ? await reopen(open) : open;
    if (again.isReadOnly) throw new UserError(t("Another window has this chat: rename it there."));
    again.rename(title);
  }

  async function remove(chatId: string): Promise<void> {
    const open = chats.find(chatId);
    // Refused while another window has it; then it stays in view here.
    if (open?.isReadOnly === true) await sessions.remove(chatId);
    if (open !== undefined) {
      dependencies.leave(open);
      await chats.close(open);
    }
    if (open?.isReadOnly !== true) await sessions.remove(chatId);
  }

  async function exportChat(chatId: string): Promise<void> {
    const chat = await chats.open(chatId);
    try {
      if (!chat.hasMessages) throw new UserError(t("There is nothing to export yet: say something first."));
      await dependencies.exportChat(chat);
    } finally {
      dependencies.closeUnused(chat);
    }
  }

  async function importChat(panel: Panel): Promise<void> {
    const text = await dependencies.readImport();
    if (text !== undefined) panel.show(await chats.open(await sessions.importFrom(text)));
  }

  /** Where a chat that could only be read goes on: in its session, when the other window has let it go, or in a copy. */
  async function writable(chat: Chat): Promise<Chat> {
    await chats.close(chat);
    const next = await chats.open(chat.id).then(
      (again) => (again.isReadOnly ? copyOf(again) : again),
      (error: unknown) => {
        // Deleted in the other window: its follower said that a new chat starts.
        if (error instanceof SessionGone) return chats.create();
        throw error;
      },
    );
    dependencies.showInstead(chat, next);
    return next;
  }

  /** As its session is now: to go on in it, where no other window has it. */
  async function reopen(chat: Chat): Promise<Chat> {
    await chats.close(chat);
    const again = await chats.open(chat.id);
    dependencies.showInstead(chat, again);
    return again;
  }

  const refreshed = async (step: Promise<unknown>): Promise<void> => {
    await step;
    board.refresh();
  };
  /** Without a chat's id the one on show is meant. */
  const chatOf = async (id: string | undefined, panel: Panel) => (id === undefined ? panel.chat : chats.open(id));
  const handlers: IntentTable<HistoryIntent, [Panel]> = {
    listHistory: ({ query, limit }, panel) => board.watch(panel, query, limit),
    closeHistory: (_, panel) => board.unwatch(panel),
    openChat: async ({ chatId }, panel) => panel.show(await chats.open(chatId)),
    openInEditor: async ({ chatId, view }, panel) => dependencies.openInEditor(await chatOf(chatId, panel), view),
    renameChat: ({ chatId, title }) => refreshed(rename(chatId, title)),
    deleteChat: ({ chatId }, panel) =>
      refreshed(
        remove(chatId).catch((error: unknown) => {
          panel.send({ type: "chatKept", chatId });
          board.refresh();
          throw error;
        }),
      ),
    restoreChat: ({ chatId }) => refreshed(sessions.restore(chatId)),
    exportChat: ({ chatId }, panel) => exportChat(chatId ?? panel.chat.id),
    importChat: (_, panel) => refreshed(importChat(panel)),
    replayChat: ({ chatId }, panel) => replay(chatId ?? panel.chat.id),
    showChatFile: ({ chatId }) => dependencies.showFile(sessions.fileOf(chatId)),
    forkChat: async ({ chatId, messageId }, panel) => refreshed(fork(panel, await chatOf(chatId, panel), messageId)),
    followRecording: (_, panel) => dependencies.followRecording(panel),
    leaveRecording: (_, panel) => dependencies.leaveRecording(panel),
    showEarlier: (_, panel) => panel.chat.past?.showEarlier(),
  };

  return { handlers, writable, reopen, forkAt };
}

/** Where a copy ends that holds all before a message of the user's. */
export interface ForkPoint {
  /** The first entry that is left out. */
  seq: number;
  message: UserMessage;
  /** Nothing was said before it: there is nothing to copy. */
  isFirst: boolean;
}

/**
 * Undefined when the log has no such message. A message that started a run takes the start with it, so that the copy
 * does not end in a run; one that was delivered in the middle of a run leaves its first half.
 */
export function forkPoint(entries: readonly LogEntry[], messageId: string): ForkPoint | undefined {
  let runStart: number | undefined;
  let isFirst = true;
  for (const [index, entry] of entries.entries()) {
    if (!("agent" in entry) || entry.agent.agent.depth > 0) continue;
    const event = entry.agent;
    if (event.type === "agent_start") runStart = entry.seq;
    if (event.type !== "message_end" && event.type !== "transcript") continue;
    if (event.type === "message_end" && event.message.id === messageId && event.message.role === "user") {
      return { seq: runStart ?? startOf(entries, messageId, index), message: event.message, isFirst };
    }
    isFirst = false;
    runStart = undefined;
  }
  return undefined;
}

/** The number of the message's first entry; its end may be the only one. */
function startOf(entries: readonly LogEntry[], messageId: string, end: number): number {
  const start = entries.find(
    (entry) => "agent" in entry && entry.agent.type === "message_start" && entry.agent.message.id === messageId,
  );
  return (start ?? entries[end])?.seq ?? 0;
}

/** A chat as Markdown: its title, and what was said in it. Sub-agents appear by their tasks and results. */
export async function chatMarkdown(chat: Chat): Promise<string> {
  const root = rootOf(foldLog(chat.log.entriesAfter(0) ?? []).tree);
  const stored = root !== undefined && chat.past?.hasEarlier === true ? await chat.past.messagesOf(root.meta.id) : [];
  const messages = stored.length > 0 ? stored : (root?.messages ?? []);
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
