import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as vscode from "vscode";
import type { Model } from "../agent/index.ts";
import type { Attachment } from "../protocol/attachments.ts";
import { AgentPaths } from "./chat/agentPaths.ts";
import { createAsk } from "./chat/ask.ts";
import type { Chat } from "./chat/chat.ts";
import { configureChatAgent, createChatAgent } from "./chat/chatAgents.ts";
import { ChatCommands } from "./chat/chatCommands.ts";
import { Chats } from "./chat/chats.ts";
import { ChatTabs } from "./chat/chatTabs.ts";
import { ChatView, chatViewId } from "./chat/chatView.ts";
import { CommandTerminals } from "./chat/commandTerminals.ts";
import { createComposing } from "./chat/composing.ts";
import { Conversation } from "./chat/conversation.ts";
import { draftsIn } from "./chat/drafts.ts";
import { createHistory } from "./chat/history/createHistory.ts";
import { deleteAllData } from "./chat/history/deleteAllData.ts";
import { listenToUser, noteWords } from "./chat/history/listenToUser.ts";
import { SpokenWords } from "./chat/history/spokenWords.ts";
import { carryOut } from "./chat/intentHandler.ts";
import { noticeActions } from "./chat/noticeActions.ts";
import { Panel } from "./chat/panel.ts";
import { panelActions, reviewedUri } from "./chat/panelActions.ts";
import { PanelStatusBoard } from "./chat/panelStatus.ts";
import { Panels } from "./chat/panels.ts";
import { PendingEditsBoard } from "./chat/pendingEditsBoard.ts";
import { firstStatus, readStatus } from "./chat/readStatus.ts";
import { focusPanel } from "./chat/revealPanel.ts";
import { runNotice } from "./chat/runNotice.ts";
import { shownChatIn } from "./chat/shownChat.ts";
import { createSteering } from "./chat/steering.ts";
import { takenMessages } from "./chat/takenMessages.ts";
import { waitingWords } from "./chat/waitingWords.ts";
import { registerCommands } from "./commands.ts";
import { ActivityBoard } from "./entryPoints/activityBoard.ts";
import { registerEditorEntries } from "./entryPoints/editorEntries.ts";
import { createStatusItem } from "./entryPoints/statusItem.ts";
import { createFailureReporter } from "./failures.ts";
import { describeModel, findModelProblem } from "./models/catalog.ts";
import { createModels, type Models } from "./models/models.ts";
import { listProviders } from "./models/providers.ts";
import { thinkingFor } from "./models/thinking.ts";
import { isSensitiveEdit, type LocalFile } from "./permissions/editSensitivity.ts";
import { PermissionQueue } from "./permissions/permissionQueue.ts";
import { editorFolder } from "./processes/editorFolder.ts";
import { removeOldOutputs } from "./processes/outputStore.ts";
import { CommandChanges } from "./review/checkpoints/commandChanges.ts";
import { Rewinds } from "./review/checkpoints/rewinds.ts";
import { snapshotFiles } from "./review/editor/snapshotFiles.ts";
import { registerReview } from "./review/registerReview.ts";
import { reviewModeOf } from "./review/reviewByMode.ts";
import { createRuns } from "./runs/createRuns.ts";
import { openSessionStorage } from "./sessions/storage.ts";
import { createReadVersions } from "./tools/index.ts";
import { lexicalPlace, placeOfUri } from "./workspace/editorRoots.ts";
import { vscodeWorkspace } from "./workspace/vscodeWorkspace.ts";

/**
 * The composition root: the only place that wires long-lived things. The SDKs behind the models load with the first
 * request that needs one.
 */
export function activate(context: vscode.ExtensionContext): void {
  const host = createHost(context);
  const models = createModels(host);
  const editing = createEditing(host, models);
  const chatting = createChatting(host, models, editing);
  registerEntryPoints(host, models, chatting);
}

/** What every part needs: where things are kept, who ends them, who hears of trouble. */
function createHost(context: vscode.ExtensionContext) {
  const own = <Owned extends vscode.Disposable>(disposable: Owned): Owned => {
    context.subscriptions.push(disposable);
    return disposable;
  };
  const log = own(vscode.window.createOutputChannel("Arbor", { log: true }));
  return {
    context,
    own,
    log,
    reportFailure: createFailureReporter(log),
    warn: (message: string) => log.warn(message),
    storageFolder: (context.storageUri ?? context.globalStorageUri).fsPath,
    pathOf: (uri: vscode.Uri) => placeOfUri(uri)?.path,
  };
}
type Host = ReturnType<typeof createHost>;

/** The workspace and the review of what agents change in it. */
function createEditing({ context, own, warn, reportFailure, storageFolder, pathOf }: Host, { settings }: Models) {
  const workspace = own(vscodeWorkspace({ ripgrepPath: () => settings().ripgrepPath, warn }));
  const review = own(
    registerReview({
      workspace,
      mode: () => reviewModeOf(settings()),
      isSensitive: (path) => isSensitiveEdit(path, localFile(path)),
      storageFolder,
      warn,
      uriOf: reviewedUri,
      pathOf,
      extensionUri: context.extensionUri,
      showError: reportFailure,
    }),
  );
  return { workspace, review };
}
type Editing = ReturnType<typeof createEditing>;

/** The chats, their agents, and the panel that shows them. */
function createChatting(host: Host, models: Models, { workspace, review }: Editing) {
  const { context, own, warn, reportFailure, storageFolder, pathOf } = host;
  const { settings, keys } = models;
  const paths = new AgentPaths();
  const permissions = new PermissionQueue({
    newId: randomUUID,
    agentPath: (agentId) => paths.of(agentId),
    lineage: (agentId) => paths.lineage(agentId),
  });
  const outputs = join(storageFolder, "outputs");
  removeOldOutputs(outputs, Date.now()).catch(reportFailure);
  const terminals = own(new CommandTerminals());
  const keyNames = () => listProviders(settings()).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []);
  const steering = createSteering(context.workspaceState, settings, () => void status.refresh().catch(reportFailure));
  const statusItem = own(createStatusItem());
  const activity = new ActivityBoard<Chat>(() => statusItem.show(activity));
  const reads = createReadVersions();
  const { runs } = own(
    createRuns({
      ...{ settings, storageFolder, warn, reportFailure },
      version: String(context.extension.packageJSON.version),
      currentChat: (): Chat => panels.active.chat,
      agentPath: (agentId) => paths.of(agentId),
      filesSeenBy: (agentId) => reads.files(agentId),
    }),
  );
  const chatAgents = {
    workspace,
    review,
    reads,
    paths,
    runs,
    commands: new ChatCommands({
      permissions,
      storage: outputs,
      keyNames,
      folder: editorFolder,
      changes: new CommandChanges({ files: snapshotFiles(workspace), checkpoints: review.checkpoints, warn }),
    }),
    models: models.access,
    settings,
    isTrusted: () => vscode.workspace.isTrusted,
    thinking: (model: Model) => thinkingFor(steering.thinking(), models.access.describe(model).thinkingLevels),
    folder: localFolder,
  };
  const composing = own(createComposing({ workspace, pathOf, reportFailure }));
  const drafts = draftsIn(storageFolder, reportFailure);
  const sessions = openSessionStorage({
    folder: join(storageFolder, "sessions"),
    onTrouble: (message) => chats.tellTrouble(message),
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
      chatOf: (id) => shownBefore(id),
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
  const view = new ChatView(panels.view, context.extensionUri, ready);
  const deleteAll = () =>
    deleteAllData({
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
    refreshStatus: () => void status.refresh().catch(reportFailure),
  };
}
type Chatting = ReturnType<typeof createChatting>;

/** Where the user and the editor reach Arbor. */
function registerEntryPoints({ context, own, log, reportFailure, pathOf }: Host, models: Models, chatting: Chatting) {
  const { panels, history, ready, deleteAll, conversationOf, view, activity, refreshStatus } = chatting;
  const conversation = () => conversationOf(panels.active);
  const reported =
    <Result>(command: (input: unknown) => Promise<Result>) =>
    (input: unknown): Promise<Result | undefined> =>
      // The panel shows by then the chat that it showed before the window was reloaded.
      ready
        .then(() => command(input))
        .catch((error: unknown) => {
          reportFailure(error);
          return undefined;
        });
  const ask = createAsk(conversation, pathOf);
  own(vscode.window.registerWebviewViewProvider(chatViewId, view));
  own(registerEditorEntries({ ask, pathOf, reportFailure }));
  own(
    registerCommands({
      ask: reported(ask),
      newChat: reported(async () => conversation().startNew()),
      stop: reported((agentId) => panels.active.chat.stop(typeof agentId === "string" ? agentId : undefined)),
      setApiKey: reported(models.commands.setApiKey),
      removeApiKey: reported(models.commands.removeApiKey),
      selectModel: reported(models.commands.selectModel),
      selectSubAgentModel: reported(models.commands.selectSubAgentModel),
      findLocalModels: reported(() => models.commands.findLocalModels()),
      setUp: reported(() => models.commands.setUp()),
      focusTree: reported(async () => {
        await focusPanel();
        panels.view.send({ type: "focus", target: "tree" });
      }),
      showWaiting: reported(async () => {
        const oldest = activity.waiting[0];
        if (oldest !== undefined) panels.view.show(oldest.chat);
        await focusPanel();
        panels.view.send({ type: "focus", target: "waiting" });
      }),
      acceptApproval: reported(async () => panels.active.send({ type: "answer", decision: "accepted" })),
      rejectApproval: reported(async () => panels.active.send({ type: "answer", decision: "rejected" })),
      showLog: () => log.show(),
      openHistory: reported(async () => {
        if (panels.active === panels.view) await focusPanel();
        panels.active.send({ type: "focus", target: "history" });
      }),
      openInEditor: reported(() => history.carryOut({ type: "openInEditor" }, panels.view)),
      exportChat: reported(() => history.carryOut({ type: "exportChat" }, panels.active)),
      importChat: reported(() => history.carryOut({ type: "importChat" }, panels.active)),
      deleteAllData: reported(deleteAll),
    }),
  );
  own(
    vscode.Disposable.from(
      models.onDidChange(refreshStatus),
      context.secrets.onDidChange(refreshStatus),
      vscode.window.onDidChangeActiveTextEditor(refreshStatus),
      vscode.languages.onDidChangeDiagnostics(refreshStatus),
      vscode.workspace.onDidChangeWorkspaceFolders(refreshStatus),
    ),
  );
  refreshStatus();
}

function showActivity(view: ChatView, chats: Chats): void {
  const { isRunning, approvals, questions } = chats.activity;
  void vscode.commands.executeCommand("setContext", "arbor.running", isRunning);
  const { count, text } = waitingWords(approvals, questions);
  view.setBadge(count, text);
}

function localFolder(): string | undefined {
  const folder = vscode.workspace.workspaceFolders?.[0];
  return folder?.uri.scheme === "file" ? folder.uri.fsPath : undefined;
}

function localFile(path: string): LocalFile | undefined {
  const { root, relative } = lexicalPlace(path);
  return root.uri.scheme === "file" ? { root: root.uri.fsPath, relative } : undefined;
}
