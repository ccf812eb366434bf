import * as vscode from "vscode";
import { startTimer } from "../../../agent/vocabulary/abort.ts";
import type { Attachment } from "../../../protocol/attachments.ts";
import type { Chat } from "../../chat/chat.ts";
import type { Chats } from "../../chat/chats.ts";
import { everySecond } from "../../chat/restore/followChat.ts";
import type { SessionStorage } from "../../sessions/session.ts";
import type { Panel } from "../panel.ts";
import type { Panels } from "../panels.ts";
import type { Recordings } from "../recordings.ts";
import { createHistoryActions } from "./historyActions.ts";
import { HistoryBoard, listChats } from "./historyList.ts";
import type { MessageSearch } from "./messageSearch.ts";

export interface HistoryParts {
  chats: Chats;
  sessions: SessionStorage;
  words: MessageSearch;
  panels(): Panels;
  tabs(): { open(chat: Chat): Panel; close(chat: Chat): void };
  compose(panel: Panel, text: string, attachments: readonly Attachment[]): void;
  closeUnused(chat: Chat): void;
  replay(chatId: string): Promise<void>;
  reportFailure(error: unknown): void;
}

/** The history: what lists the chats, and what is done with them from the panel or by a command. */
export function createHistory({
  chats,
  sessions,
  words,
  panels,
  tabs,
  compose,
  closeUnused,
  replay,
  reportFailure,
}: HistoryParts) {
  const board = new HistoryBoard(
    async (query, limit) => {
      const summaries = await sessions.list();
      const ids = summaries.flatMap(({ id, isDamaged }) => (isDamaged ? [] : [id]));
      if (query.trim() === "") await words.removeOthers(ids, Date.now());
      const withWords = query.trim() === "" ? new Set<string>() : await words.find(query, ids);
      return listChats({ summaries, find: (id) => chats.find(id), withWords, query, limit });
    },
    reportFailure,
    { state: () => sessions.state(), repeatedly: everySecond },
  );
  const files = () => import("./exportFiles.ts");
  let recordings: Promise<Recordings> | undefined;
  const leaveRecording = (panel: Panel) => recordings?.then((loaded) => loaded.leave(panel));
  function loadRecordings(): Promise<Recordings> {
    recordings ??= import("../recordings.ts").then(
      (loaded) =>
        new loaded.Recordings({
          sessions,
          now: Date.now,
          later: (run, delayMs) => ({ dispose: startTimer(delayMs, run) }),
        }),
    );
    return recordings;
  }
  const actions = createHistoryActions({
    chats,
    sessions,
    board,
    openInEditor(chat, view) {
      const panel = tabs().open(chat);
      if (view !== undefined) panel.send({ type: "focus", target: view });
    },
    followRecording: async (panel) => (await loadRecordings()).follow(panel, "times"),
    leaveRecording,
    replay,
    notify: (text) => void vscode.window.showInformationMessage(text),
    leave(chat) {
      if (panels().view.chat === chat) panels().view.show(chats.create());
      tabs().close(chat);
    },
    showInstead(chat, next) {
      for (const panel of panels().all) if (panel.chat === chat) panel.show(next);
    },
    exportChat: async (chat) => (await files()).exportToFile(chat, sessions),
    readImport: async () => (await files()).readImportedFile(),
    showFile: async (file) => (await files()).showFileInFolder(file),
    compose,
    closeUnused,
  });
  /** Gives the panel what the user said in other chats than the one it shows. */
  async function sendPrompts(panel: Panel): Promise<void> {
    const { chat } = panel;
    const summaries = await sessions.list();
    const others = summaries.flatMap(({ id, isDamaged }) => (isDamaged || id === chat.id ? [] : [id]));
    const items = await words.latest(others);
    // Another chat that is shown meanwhile has others.
    if (panel.chat === chat) panel.send({ type: "prompts", items });
  }
  return { board, loadRecordings, leaveRecording, sendPrompts, ...actions };
}
export type History = ReturnType<typeof createHistory>;
