import { join } from "node:path";
import * as vscode from "vscode";
import { configureChatAgent, createChatAgent, tellChatAgent } from "../chat/agents/chatAgents.ts";
import type { Chat } from "../chat/chat.ts";
import { Chats } from "../chat/chats.ts";
import { draftsIn } from "../chat/compose/drafts.ts";
import { listenToUser, noteWords } from "../chat/history/listenToUser.ts";
import { SpokenWords } from "../chat/history/spokenWords.ts";
import { runNotice } from "../chat/notices/runNotice.ts";
import { takenMessages } from "../chat/restore/takenMessages.ts";
import { Rewinds } from "../review/checkpoints/rewinds.ts";
import { openSessionStorage } from "../sessions/storage.ts";
import { type AgentParts, createAgents } from "./agents.ts";

export interface ChatParts extends Omit<AgentParts, "needs"> {
  needs: ChatNeeds;
}

/** What chats need of the panels, which come after them. */
interface ChatNeeds {
  currentChat(): Chat;
  isShown(chat: Chat): boolean;
  refreshStatus(): void;
  /** Puts the caret back into the side-bar view, where that was what the user acted in. */
  refocus(): Promise<void>;
  /** Told when something runs or waits for the user, or does no more. */
  onActivity(): void;
}

/** The chats that are open, their agents, and what is kept of both. */
export function createChats({ host, models, editing, needs }: ChatParts) {
  const { own, warn, reportFailure, storageFolder } = host;
  const { review } = editing;
  const agents = createAgents({ host, models, editing, needs });
  const { chatAgents, activity } = agents;
  const drafts = draftsIn(storageFolder, reportFailure);
  const sessions = openSessionStorage({
    folder: join(storageFolder, "sessions"),
    onTrouble: (message) => chats.tellTrouble(message),
    patienceMs: 2_000,
  });
  const words = new SpokenWords(join(storageFolder, "words"), reportFailure);
  const rewinds = new Rewinds({
    checkpoints: review.checkpoints,
    applied: review.applied.reviews,
    confirm: async ({ message, detail, choices }) => {
      const buttons = choices.map(({ button }) => button);
      const pressed = await vscode.window.showWarningMessage(message, { modal: true, detail }, ...buttons);
      // The editor gives it back by itself after a question with one answer, and not after one with several.
      if (choices.length > 1) await needs.refocus();
      return choices.find(({ button }) => button === pressed)?.what;
    },
    inTurn: (step) => review.reviews.inTurn(step),
  });
  const chats = new Chats({
    drafts,
    sessions,
    warn,
    onOpen: (chat, { queuedWords, rewind }) => {
      if (queuedWords.length > 0) drafts.keep(chat.id, [...queuedWords, chat.draft.text].join("\n").trim());
      if (rewind !== undefined) {
        rewinds.adopt({ ...rewind, messages: () => takenMessages(sessions, chat, rewind) }, chat);
      }
      noteWords(chat, words);
    },
    createAgent: (chat) => {
      chat.own(activity.follow(chat));
      chat.own(listenToUser(chat, words));
      return createChatAgent(chat, chatAgents);
    },
    configure: (agent, chat) => configureChatAgent(agent, chat, chatAgents),
    tell: (agent, message) => tellChatAgent(agent, message, chatAgents),
    noticeFor: runNotice,
    onActivity: (chat) => {
      if (chat.isRunning) rewinds.forget();
      else letGo(chat);
      needs.onActivity();
    },
  });
  own({ dispose: () => void chats.dispose() });
  /** What runs or is shown stays. */
  const letGo = (chat: Chat) => {
    if (chat.isRunning || needs.isShown(chat) || chatAgents.commands.hasRunning(chat)) return;
    chats.close(chat).catch(reportFailure);
  };
  return { ...agents, chats, drafts, sessions, words, rewinds, letGo };
}
export type OpenChats = ReturnType<typeof createChats>;
