import * as vscode from "vscode";
import type { PanelStatus } from "../../protocol/messages.ts";
import type { Chat } from "../chat/chat.ts";
import type { Composing } from "../chat/compose/composing.ts";
import { ChatTabs, chatIdIn } from "../panel/chatTabs.ts";
import type { History } from "../panel/history/createHistory.ts";
import { createIntentHandler } from "../panel/intents/intentHandlers.ts";
import { Panel } from "../panel/panel.ts";
import { Panels, shownChatIn } from "../panel/panels.ts";
import type { ReplayDependencies, ReplayTabs } from "../panel/replay/replayTabs.ts";
import type { OpenChats } from "./chats.ts";
import type { Host } from "./host.ts";
import type { PanelWork } from "./panelWork.ts";

export interface PanelParts {
  host: Host;
  open: OpenChats;
  composing: Composing;
  history: History;
  workOf: PanelWork["workOf"];
  status(): PanelStatus;
  /** Called when a panel shows another chat, or there is another panel. */
  onTurn(): void;
  /** Called when a page has to know which written edits wait, and which commands run. */
  onShow(): void;
}

/** The side-bar view's panel and those in editor tabs, each with the chat that it showed before the window was reloaded. */
export function createPanels({ host, open, composing, history, workOf, status, onTurn, onShow }: PanelParts) {
  const { context, own, warn, reportFailure, storage } = host;
  const { chats, drafts, closeUnused, leave } = open;
  const shown = shownChatIn(storage.windowFolder);
  const openPanel = (chat: Chat) =>
    new Panel(chat, {
      status,
      onIntent: createIntentHandler(workOf, reportFailure),
      suggest: composing.suggest,
      warn,
      reportFailure,
      onLoad(panel) {
        history.board.unwatch(panel);
        history.leaveRecording(panel)?.catch(reportFailure);
      },
      onTurn: (panel, before) => {
        history.leaveRecording(panel)?.catch(reportFailure);
        closeUnused(before);
        if (panel === panels.view) shown.write(panel.chat.id).catch(reportFailure);
        else tabs.rename(panel);
        history.sendPrompts(panel).catch(reportFailure);
        onShow();
        onTurn();
      },
    });
  const panels = new Panels(openPanel(chats.create()));
  const tabs = own(
    new ChatTabs({
      panels,
      extensionUri: context.extensionUri,
      makePanel: openPanel,
      chatOf: (id) => ready.then(() => shownBefore(open, id)),
      onShow,
      onClose(panel) {
        history.board.unwatch(panel);
        history.leaveRecording(panel)?.catch(reportFailure);
        leave(panel.chat);
      },
    }),
  );
  const ready = drafts
    .load()
    .then(() => shown.read())
    .then(async (id) => panels.view.show(await shownBefore(open, id)))
    .catch(reportFailure);
  return { panels, tabs, ready };
}

/** A chat in which nothing was said has no session, but perhaps words that were being written. */
async function shownBefore({ chats, drafts }: OpenChats, id: string | undefined): Promise<Chat> {
  const chat = id === undefined ? chats.create() : await chats.openAgain(id);
  const draft = id === undefined || chat.hasMessages ? undefined : drafts.of(id);
  if (draft !== undefined) drafts.keep(chat.id, draft.text, draft.attachments, draft.typedAt);
  return chat;
}

/** Replays of chats in editor tabs; what shows them is loaded with the first. */
export function createReplays(dependencies: ReplayDependencies & { ready: Promise<unknown> }) {
  let tabs: Promise<ReplayTabs> | undefined;
  const load = () => {
    tabs ??= import("../panel/replay/replayTabs.ts").then((loaded) => new loaded.ReplayTabs(dependencies));
    return tabs;
  };
  const serializer = vscode.window.registerWebviewPanelSerializer("arbor.replayTab", {
    async deserializeWebviewPanel(tab, state: unknown) {
      const chatId = chatIdIn(state);
      await dependencies.ready;
      if (chatId === undefined) tab.dispose();
      else await (await load()).show(tab, chatId);
    },
  });
  return {
    open: async (chatId: string) => (await load()).open(chatId),
    dispose: () => serializer.dispose(),
  };
}
