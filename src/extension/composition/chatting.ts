import { join } from "node:path";
import * as vscode from "vscode";
import type { Attachment } from "../../protocol/attachments.ts";
import { configureChatAgent, createChatAgent } from "../chat/agents/chatAgents.ts";
import type { Chat } from "../chat/chat.ts";
import { Chats } from "../chat/chats.ts";
import { createComposing } from "../chat/compose/composing.ts";
import { draftsIn } from "../chat/compose/drafts.ts";
import { Conversation } from "../chat/conversation.ts";
import { askDeleteAll } from "../chat/history/askDeleteAll.ts";
import { createHistory } from "../chat/history/createHistory.ts";
import { listenToUser, noteWords } from "../chat/history/listenToUser.ts";
import { SpokenWords } from "../chat/history/spokenWords.ts";
import { carryOut } from "../chat/intents/intentHandler.ts";
import { panelActions } from "../chat/intents/panelActions.ts";
import { noticeActions } from "../chat/notices/noticeActions.ts";
import { runNotice } from "../chat/notices/runNotice.ts";
import { ChatTabs } from "../chat/panel/chatTabs.ts";
import { ChatView } from "../chat/panel/chatView.ts";
import { Panel } from "../chat/panel/panel.ts";
import { Panels } from "../chat/panel/panels.ts";
import { shownChatIn } from "../chat/panel/shownChat.ts";
import { takenMessages } from "../chat/restore/takenMessages.ts";
import { PanelStatusBoard } from "../chat/status/panelStatus.ts";
import { PendingEditsBoard } from "../chat/status/pendingEditsBoard.ts";
import { firstStatus, readStatus } from "../chat/status/readStatus.ts";
import { waitingWords } from "../chat/waiting/waitingWords.ts";
import { describeModel, findModelProblem } from "../models/catalog.ts";
import type { Models } from "../models/models.ts";
import { Rewinds } from "../review/checkpoints/rewinds.ts";
import { openSessionStorage } from "../sessions/storage.ts";
import { createAgents } from "./agents.ts";
import type { Editing } from "./editing.ts";
import type { Host } from "./host.ts";

/** How many sessions are kept: those of the last 90 days, as long as they take no more than 2 GB. */
const kept = { maxAgeMs: 90 * 24 * 60 * 60 * 1_000, maxBytes: 2 * 1_024 ** 3 };

/** The chats, their agents, and the panel that shows them. */
export function createChatting(host: Host, models: Models, editing: Editing) {
  const { workspace, review } = editing;
  const { context, own, warn, reportFailure, storageFolder, pathOf } = host;
  const { settings, keys } = models;
  const refreshStatus = () => void status.refresh().catch(reportFailure);
  const { chatAgents, permissions, steering, runs, activity, terminals } = createAgents(host, models, editing, {
    currentChat: () => panels.active.chat,
    refreshStatus,
  });
  const composing = own(createComposing({ workspace, pathOf, reportFailure, onChange: refreshStatus }));
  const drafts = draftsIn(storageFolder, reportFailure);
  const sessions = openSessionStorage({
    folder: join(storageFolder, "sessions"),
    onTrouble: (message) => chats.tellTrouble(message),
    patienceMs: 2_000,
  });
  const words = new SpokenWords(join(storageFolder, "words"), reportFailure);
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
      listenToUser(chat, words);
      return createChatAgent(chat, chatAgents);
    },
    configure: (agent, chat) => configureChatAgent(agent, chat, chatAgents),
    noticeFor: runNotice,
    onActivity: (chat) => {
      if (chat.isRunning) rewinds.forget();
      else letGo(chat);
      showActivity(view, chats);
      history.board.refresh();
    },
  });
  own({ dispose: () => void chats.dispose() });
  /** What runs or is shown stays. */
  const letGo = (chat: Chat) => {
    if (chat.isRunning || panels.shows(chat) || chatAgents.commands.hasRunning(chat)) return;
    chats.close(chat).catch(reportFailure);
  };
  const history = createHistory({
    ...{ chats, sessions, words, letGo, reportFailure },
    panels: () => panels,
    tabs: () => tabs,
    compose: (panel, text, attachments) => composeIn(panel)(text, attachments),
  });
  const pendingEdits = own(
    new PendingEditsBoard(review.applied.store, () => chats.all.filter((chat) => panels.shows(chat))),
  );
  const rewinds = new Rewinds({
    checkpoints: review.checkpoints,
    applied: review.applied.reviews,
    confirm: async ({ message, detail, button }) =>
      (await vscode.window.showWarningMessage(message, { modal: true, detail }, button)) === button,
    inTurn: (step) => review.reviews.inTurn(step),
  });
  const sources = {
    ...{ settings, keys, workspace, pathOf },
    ...{ reported: models.reported, preferredModels: models.preferred, thinking: () => steering.thinking() },
    commands: composing.commands,
  };
  const status = new PanelStatusBoard(
    firstStatus(sources),
    () => readStatus(sources),
    (current) => panels.send({ type: "status", status: current }),
  );
  const conversationOf = (panel: Panel) =>
    new Conversation({
      chat: () => panel.chat,
      startNew: () => panel.show(chats.create()),
      writable: history.writable,
      sources: composing.attachments,
      model: () => describeModel(settings().model, settings(), models.reported),
      findModelProblem: () => findModelProblem(settings().model, settings(), keys),
      giveBack: composeIn(panel),
    });
  const composeIn = (panel: Panel) => (text: string, attachments: readonly Attachment[]) =>
    panel.send({ type: "compose", text, attachments: [...attachments] });
  const actionsOf = (panel: Panel) =>
    panelActions({
      conversation: conversationOf(panel),
      workspace,
      review,
      permissions,
      rewinds,
      steering,
      runs: (chat, intent) => runs.carryOut(chat, intent),
      composing,
      drafts,
      compose: composeIn(panel),
      history: (intent) => history.carryOut(intent, panel),
      selectModel: models.commands.selectModel,
      actOnNotice: noticeActions({ modelCommands: models.commands, showLog: () => host.log.show() }),
      showInTerminal: (callId) => terminals.show(chatAgents.commands.ofCall(panel.chat, callId)),
    });
  const openPanel = (chat: Chat) =>
    new Panel(chat, {
      status: () => status.current,
      carryOut: (intent, panel) => void carryOut(intent, actionsOf(panel)).catch(reportFailure),
      suggest: composing.suggest,
      warn,
      reportFailure,
      onLoad: (panel) => history.board.unwatch(panel),
      onTurn: (panel, before) => {
        letGo(before);
        if (panel === panels.view) shown.write(panel.chat.id).catch(reportFailure);
        else tabs.rename(panel);
        pendingEdits.tell();
        showActivity(view, chats);
      },
    });
  const panels = new Panels(openPanel(chats.create()));
  const tabs = own(
    new ChatTabs({
      panels,
      extensionUri: context.extensionUri,
      makePanel: openPanel,
      chatOf: (id) => ready.then(() => shownBefore(id)),
      onShow: () => pendingEdits.tell(),
      onClose(panel) {
        history.board.unwatch(panel);
        letGo(panel.chat);
      },
    }),
  );
  const shown = shownChatIn(storageFolder);
  /** A chat in which nothing was said has no session, but perhaps words that were being written. */
  const shownBefore = async (id: string | undefined): Promise<Chat> => {
    const chat = id === undefined ? chats.create() : await chats.openAgain(id);
    const draft = id === undefined || chat.hasMessages ? undefined : drafts.of(id);
    if (draft !== undefined) drafts.keep(chat.id, draft.text, draft.attachments);
    return chat;
  };
  const ready = drafts
    .load()
    .then(() => shown.read())
    .then(async (id) => panels.view.show(await shownBefore(id)))
    .catch(reportFailure);
  void ready.then(() => sessions.prune?.({ ...kept, now: Date.now() })).catch(reportFailure);
  const view = new ChatView(panels.view, context.extensionUri, ready);
  const deleteAll = () =>
    askDeleteAll({
      storageFolder,
      async leaveChats() {
        for (const chat of chats.all) {
          tabs.close(chat);
          if (panels.view.chat === chat) panels.view.show(chats.create());
          await chats.close(chat);
        }
      },
      deleteSessions: () => sessions.deleteAll(),
      forget: async () => {
        drafts.forgetAll();
        for (const key of context.workspaceState.keys()) await context.workspaceState.update(key, undefined);
      },
      removeKeys: async () => {
        for (const id of await keys.stored([])) await keys.remove(id);
        await models.forget();
      },
    });
  return {
    panels,
    tabs,
    history,
    ready,
    deleteAll,
    conversationOf,
    view,
    activity,
    refreshStatus,
  };
}
export type Chatting = ReturnType<typeof createChatting>;

function showActivity(view: ChatView, chats: Chats): void {
  const { isRunning, approvals, questions } = chats.activity;
  void vscode.commands.executeCommand("setContext", "arbor.running", isRunning);
  const { count, text } = waitingWords(approvals, questions);
  view.setBadge(count, text);
}
