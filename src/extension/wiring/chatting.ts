import * as vscode from "vscode";
import { startTimer } from "../../agent/vocabulary/abort.ts";
import { showAuthors } from "../changes/provenance/authorHover.ts";
import { editOrigins } from "../chat/agents/editOrigins.ts";
import type { Chats } from "../chat/chats.ts";
import { createComposing } from "../chat/compose/composing.ts";
import { editorState } from "../context/editorSurroundings.ts";
import { ChatView, focusPanel } from "../panel/chatView.ts";
import { createHistory } from "../panel/history/createHistory.ts";
import { pendingText } from "../panel/status/activityBoard.ts";
import { PendingEditsBoard, RunningCommandsBoard } from "../panel/status/chatBoards.ts";
import { firstStatus, readStatus } from "../panel/status/readStatus.ts";
import { PanelStatusBoard } from "../panel/status/statusBoard.ts";
import { WrittenStatesBoard } from "../panel/status/writtenStatesBoard.ts";
import { RecentFacts } from "../start/recentFacts.ts";
import { shownPaths } from "./agents.ts";
import { createChats } from "./chats.ts";
import type { RegisteredCustomization } from "./customization.ts";
import { createDeleting } from "./deleting.ts";
import type { Editing } from "./editing.ts";
import { addForeignAgent, chooseForeignOption, mainProgram } from "./foreignAgents.ts";
import type { Host } from "./host.ts";
import type { Mcp } from "./mcp.ts";
import type { Models } from "./models.ts";
import type { OtherExtensions } from "./otherExtensions.ts";
import { createPanels, createReplays } from "./panels.ts";
import { composeIn, createPanelWork } from "./panelWork.ts";

/** How many sessions are kept: those of the last 90 days, as long as they take no more than 2 GB. */
const kept = { maxAgeMs: 90 * 24 * 60 * 60 * 1_000, maxBytes: 2 * 1_024 ** 3 };

/** A window that is reloaded is back by then, on a slow machine too. */
const abandonedAfterMs = 30_000;

const typingRestsMs = 300;

export interface ChattingParts {
  host: Host;
  models: Models;
  editing: Editing;
  mcp: Mcp;
  custom: RegisteredCustomization;
  extensions: OtherExtensions;
}

/**
 * The chats, their agents, and the panels that show them. Chats notify panels of what goes on and panels ask chats for what
 * they do, so that each is reached by a function where it comes after the other; none of these is called before all
 * are there.
 */
export function createChatting({ host, models, editing, mcp, custom, extensions }: ChattingParts) {
  const { context, own, reportFailure, pathOf } = host;
  const { settings, keys } = models;
  const { workspace, review } = editing;
  const { customization } = custom;
  const refreshStatus = () => void status.refresh().catch(reportFailure);
  const open = createChats({
    ...{ host, models, editing, customization, mcp, extensions },
    needs: {
      isShown: (chat) => panels.shows(chat),
      refreshStatus,
      refocus: async () => (panels.active === panels.view ? focusPanel() : undefined),
      onReturn: (chat) => void history.reopen(chat).catch(reportFailure),
      onActivity: () => {
        showActivity(view, chats);
        history.board.refresh();
      },
    },
  });
  const { chats, sessions, words, closeUnused, steering, activity } = open;
  const composing = own(
    createComposing({
      workspace,
      pathOf: shownPaths(pathOf, editing.agentIgnore),
      customization: {
        get current() {
          return extensions.registry.withAgents(customization.current);
        },
      },
      foreignAgents: () => Object.keys(settings().foreignAgents),
      foreignCommands: () => open.catalog.commands(mainProgram(settings().model) ?? ""),
      reportFailure,
      prompts: mcp.prompts,
      resources: mcp.resources,
      onChange: refreshStatus,
    }),
  );
  const history = createHistory({
    ...{ chats, sessions, words, closeUnused, reportFailure },
    panels: () => panels,
    tabs: () => tabs,
    replay: (chatId) => replays.open(chatId),
    compose: (panel, text, attachments) => composeIn(panel)(text, attachments),
  });
  const pendingEdits = own(new PendingEditsBoard(review.store, () => chats.all.filter((chat) => panels.shows(chat))));
  own(
    new WrittenStatesBoard({
      ...{ store: review.store, history: review.history, chats: () => chats.all },
      later: (run) => ({ dispose: startTimer(typingRestsMs, run) }),
    }),
  );
  const origins = editOrigins(sessions);
  own(showAuthors({ history: review.history, pathOf, originOf: (author) => origins.of(author) }));
  const runningCommands = own(
    new RunningCommandsBoard({
      commands: open.chatAgents.commands,
      chats: () => chats.all,
      isShown: (chat) => panels.shows(chat),
    }),
  );
  const facts = own(
    new RecentFacts({
      search: async (signal) => (await import("../start/searchFacts.ts")).searchFacts(workspace, signal),
      isWanted: () => !panels.active.chat.hasMessages,
      onChange: refreshStatus,
      reportFailure,
      now: Date.now,
    }),
  );
  const sources = {
    ...{ settings, keys, workspace, pathOf },
    facts: () => {
      const canWork = vscode.workspace.isTrusted && workspace.roots().length > 0;
      return canWork ? { ...facts.read(), changes: composing.changeCount() } : undefined;
    },
    ...{ reported: models.reported, preferredModels: models.preferred, thinking: () => steering.thinking() },
    agents: composing.attachments.agents,
    commands: composing.commands,
    editorState: () =>
      settings().sendsEditorState
        ? { isSent: steering.sendsEditorState(), state: editorState(shownPaths(pathOf, editing.agentIgnore)) }
        : undefined,
  };
  const status = new PanelStatusBoard(
    firstStatus(sources),
    () => readStatus(sources),
    (current) => {
      panels.send({ type: "status", status: current });
      models.costLimit.follow(current.model, (notice) => panels.active.chat.notices.show(notice));
    },
  );
  models.costLimit.follow(status.current.model, () => {});
  const { conversationOf, workOf } = createPanelWork({ host, models, editing, open, composing, history });
  const { panels, tabs, ready } = createPanels({
    ...{ host, open, composing, history, workOf },
    status: () => status.current,
    onTurn: () => {
      showActivity(view, chats);
      refreshStatus();
    },
    onShow: () => {
      pendingEdits.update();
      runningCommands.update();
    },
  });
  const replays = own(
    createReplays({
      ...{ extensionUri: context.extensionUri, sessions, reportFailure, ready },
      findChat: (chatId) => chats.find(chatId),
      recordings: history.loadRecordings,
      async fork(chatId, seq) {
        await history.forkAt(panels.active, chatId, seq);
        history.board.refresh();
        if (panels.active === panels.view) await focusPanel();
      },
      secrets: async () => (await import("../doctor/knownSecrets.ts")).knownSecrets(settings(), keys),
    }),
  );
  void ready.then(open.openWaiting).catch(reportFailure);
  own(custom.onDidChange(refreshStatus));
  // What was restored is shown first.
  void ready.then(custom.start);
  own(
    host.storage.watchAbandoned({
      afterMs: abandonedAfterMs,
      onFailure: reportFailure,
      async adopt(folder) {
        await review.adopt(folder);
        // Words of a chat without a session are found only by the window that has the folder next, and a composer that
        // is in view is not written into.
        const known = new Set((await sessions.list()).map(({ id }) => id));
        await open.drafts.adopt(folder, (id) => known.has(id) && chats.find(id) === undefined);
      },
    }),
  );
  void ready.then(() => sessions.prune?.({ ...kept, now: Date.now() })).catch(reportFailure);
  const view = new ChatView(panels.view, context.extensionUri, ready);
  const deleteAll = createDeleting({ host, models, open, panels, tabs });
  return {
    ...{ panels, composing, history, ready, deleteAll, conversationOf, view, activity, refreshStatus },
    stopAgent: (agentId: string) => chats.stopAgent(agentId),
    countChats: async () => (await sessions.list()).length,
    addForeignAgent: () => addForeignAgent(models),
    foreignAgentOptions: () => chooseForeignOption(models, open.catalog),
    ...{ runs: open.runs, showTrace: open.showTrace, newAgent: custom.newAgent },
  };
}
export type Chatting = ReturnType<typeof createChatting>;

function showActivity(view: ChatView, chats: Chats): void {
  const { isRunning, approvals, questions } = chats.activity;
  void vscode.commands.executeCommand("setContext", "arbor.running", isRunning);
  const { count, text } = pendingText(approvals, questions);
  view.setBadge(count, text);
}
