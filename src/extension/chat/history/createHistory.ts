import type { Attachment } from "../../../protocol/attachments.ts";
import type { SessionStorage } from "../../sessions/session.ts";
import type { Chat } from "../chat.ts";
import type { Chats } from "../chats.ts";
import type { Panel } from "../panel.ts";
import type { Panels } from "../panels.ts";
import { exportToFile, readImportedFile } from "./exportFiles.ts";
import { createHistoryActions } from "./historyActions.ts";
import { HistoryBoard } from "./historyBoard.ts";
import { listChats } from "./listChats.ts";

export interface HistoryParts {
  chats: Chats;
  sessions: SessionStorage;
  panels(): Panels;
  tabs(): { open(chat: Chat): void; close(chat: Chat): void };
  compose(panel: Panel, text: string, attachments: readonly Attachment[]): void;
  letGo(chat: Chat): void;
  reportFailure(error: unknown): void;
}

/** The history: what lists the chats, and what is done with them from the panel or by a command. */
export function createHistory({ chats, sessions, panels, tabs, compose, letGo, reportFailure }: HistoryParts) {
  const board = new HistoryBoard(
    async (query, limit) =>
      listChats({
        summaries: await sessions.list(),
        find: (id) => chats.find(id),
        withWords: new Set(),
        query,
        limit,
      }),
    reportFailure,
  );
  const actions = createHistoryActions({
    chats,
    sessions,
    board,
    openInEditor: (chat) => tabs().open(chat),
    leave(chat) {
      if (panels().view.chat === chat) panels().view.show(chats.create());
      tabs().close(chat);
    },
    exportChat: (chat) => exportToFile(chat, sessions),
    readImport: readImportedFile,
    compose,
    letGo,
  });
  return { board, actions };
}
