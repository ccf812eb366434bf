import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as vscode from "vscode";
import { AgentPaths } from "./chat/agentPaths.ts";
import { parseAskArguments, wordsFor } from "./chat/askCommand.ts";
import type { Chat } from "./chat/chat.ts";
import { configureChatAgent, createChatAgent } from "./chat/chatAgents.ts";
import { ChatCommands } from "./chat/chatCommands.ts";
import { Chats } from "./chat/chats.ts";
import { ChatView, chatViewId } from "./chat/chatView.ts";
import { Conversation } from "./chat/conversation.ts";
import { activeFile, countProblems, selectionAttachment } from "./chat/editorContext.ts";
import { carryOut } from "./chat/intentHandler.ts";
import { noticeActions } from "./chat/noticeActions.ts";
import { panelActions, reviewedUri } from "./chat/panelActions.ts";
import { PanelStatusBoard } from "./chat/panelStatus.ts";
import { PendingEditsBoard } from "./chat/pendingEditsBoard.ts";
import { focusPanel, revealPanel } from "./chat/revealPanel.ts";
import { runNotice } from "./chat/runNotice.ts";
import { waitingWords } from "./chat/waitingWords.ts";
import { registerCommands } from "./commands.ts";
import { createFailureReporter } from "./failures.ts";
import { describeModel, findModelProblem, hasUsableModel, listModelChoices } from "./models/catalog.ts";
import { pacedBy } from "./models/demo/demoStream.ts";
import { createKeys } from "./models/keys.ts";
import { createModelAccess } from "./models/modelAccess.ts";
import { createModelCommands } from "./models/modelCommands.ts";
import { listProviders } from "./models/providers.ts";
import { PermissionQueue } from "./permissions/permissionQueue.ts";
import { removeOldOutputs } from "./processes/outputStore.ts";
import { Rewinds } from "./review/checkpoints/rewinds.ts";
import { registerReview } from "./review/registerReview.ts";
import { LiveSettings } from "./settings/liveSettings.ts";
import { createReadVersions } from "./tools/index.ts";
import { placeOfUri } from "./workspace/editorRoots.ts";
import { vscodeWorkspace } from "./workspace/vscodeWorkspace.ts";

/** Quick enough not to bore, slow enough to be watched. */
const demoPaceMs = 12;

/**
 * The composition root: the only place that wires long-lived things. The SDKs behind the models load with the first
 * request that needs one.
 */
export function activate(context: vscode.ExtensionContext): void {
  const own = <Owned extends vscode.Disposable>(disposable: Owned): Owned => {
    context.subscriptions.push(disposable);
    return disposable;
  };
  const log = own(vscode.window.createOutputChannel("Arbor", { log: true }));
  const reportFailure = createFailureReporter(log);
  const warn = (message: string) => log.warn(message);

  const settings = own(
    new LiveSettings(
      (problem) => {
        warn(problem);
        void vscode.window.showWarningMessage(problem);
      },
      () => refreshStatus(),
    ),
  );
  const keys = createKeys(context.secrets, process.env);
  const models = createModelAccess(() => settings.current, keys, pacedBy(demoPaceMs));
  const modelCommands = createModelCommands(
    () => settings.current,
    keys,
    () => refreshStatus(),
  );

  const workspace = own(vscodeWorkspace({ ripgrepPath: () => settings.current.ripgrepPath, warn }));
  const pathOf = (uri: vscode.Uri) => placeOfUri(uri)?.path;
  const review = own(
    registerReview({
      workspace,
      mode: () => settings.current.editReview,
      storageFolder: (context.storageUri ?? context.globalStorageUri).fsPath,
      warn,
      uriOf: reviewedUri,
      pathOf,
      extensionUri: context.extensionUri,
      showError: reportFailure,
    }),
  );

  const reads = createReadVersions();
  const paths = new AgentPaths();
  const permissions = new PermissionQueue({ newId: randomUUID, agentPath: (agentId) => paths.of(agentId) });
  const outputs = join((context.storageUri ?? context.globalStorageUri).fsPath, "outputs");
  removeOldOutputs(outputs, Date.now()).catch(reportFailure);
  const chatAgents = {
    workspace,
    review,
    reads,
    paths,
    commands: new ChatCommands({
      permissions,
      storage: outputs,
      keyNames: () => listProviders(settings.current).flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []),
    }),
    models,
    settings: () => settings.current,
    isTrusted: () => vscode.workspace.isTrusted,
    folder: localFolder,
  };
  const chats = new Chats(
    {
      createAgent: (chat) => createChatAgent(chat, chatAgents),
      configure: (agent, chat) => configureChatAgent(agent, chat, chatAgents),
      noticeFor: runNotice,
      onActivity: (chat) => {
        if (chat.isRunning) rewinds.forget();
        if (chat === chats.current) showActivity(chat);
      },
    },
    (chat) => {
      view.show(chat);
      pendingEdits.tell();
      showActivity(chat);
    },
  );
  own({ dispose: () => void chats.dispose() });
  const pendingEdits = own(new PendingEditsBoard(review.applied.store, () => chats.current));
  const rewinds = new Rewinds({
    checkpoints: review.checkpoints,
    applied: review.applied.reviews,
    chat: () => chats.current,
    confirm: async ({ message, detail, button }) =>
      (await vscode.window.showWarningMessage(message, { modal: true, detail }, button)) === button,
    inTurn: (step) => review.reviews.inTurn(step),
  });

  const conversation = new Conversation({
    chats,
    workspace,
    findModelProblem: () => findModelProblem(settings.current.model, settings.current, keys),
    giveBack: (text, attachments) => view.send({ type: "compose", text, attachments: [...attachments] }),
  });
  const status = new PanelStatusBoard(
    {
      model: describeModel(settings.current.model, settings.current),
      models: [],
      needsSetup: false,
      folderOpen: workspace.roots().length > 0,
      problemCount: 0,
    },
    async () => {
      const file = activeFile(pathOf);
      return {
        model: describeModel(settings.current.model, settings.current),
        models: await listModelChoices(settings.current, keys),
        needsSetup: !(await hasUsableModel(settings.current, keys)),
        folderOpen: workspace.roots().length > 0,
        problemCount: countProblems(),
        ...(file !== undefined && { activeFile: file }),
      };
    },
    (current) => view.send({ type: "status", status: current }),
  );
  const refreshStatus = () => void status.refresh().catch(reportFailure);
  const actions = panelActions({
    conversation,
    review,
    permissions,
    rewinds,
    selectModel: modelCommands.selectModel,
    actOnNotice: noticeActions({ modelCommands, showLog: () => log.show() }),
  });
  const view = new ChatView({
    extensionUri: context.extensionUri,
    currentChat: () => chats.current,
    status: () => status.current,
    carryOut: (intent) => void carryOut(intent, actions).catch(reportFailure),
    warn,
  });

  function showActivity(chat: Chat): void {
    void vscode.commands.executeCommand("setContext", "arbor.running", chat.isRunning);
    const { count, text } = waitingWords(chat.openApprovalCount, chat.openQuestionCount);
    view.setBadge(count, text);
  }

  async function ask(input: unknown): Promise<{ sessionId: string; text: string } | undefined> {
    const given = parseAskArguments(input);
    const selection = selectionAttachment(pathOf);
    const attachments = given.attachments ?? (selection === undefined ? [] : [selection]);
    const prompt = given.prompt ?? (await askWords(attachments.length > 0));
    if (prompt === undefined) return undefined;
    await revealPanel();
    const { id } = chats.current;
    const words = wordsFor({ ...given, prompt });
    const summary = await conversation.send(words, attachments, "queue");
    return { sessionId: id, text: summary?.text ?? "" };
  }

  const reported =
    <Result>(command: (input: unknown) => Promise<Result>) =>
    (input: unknown): Promise<Result | undefined> =>
      command(input).catch((error: unknown) => {
        reportFailure(error);
        return undefined;
      });

  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider(chatViewId, view),
    registerCommands({
      ask: reported(ask),
      newChat: reported(() => conversation.startNew()),
      stop: reported((agentId) => chats.current.stop(typeof agentId === "string" ? agentId : undefined)),
      setApiKey: reported(modelCommands.setApiKey),
      removeApiKey: reported(modelCommands.removeApiKey),
      selectModel: reported(modelCommands.selectModel),
      focusTree: reported(async () => {
        await focusPanel();
        view.send({ type: "focus", target: "tree" });
      }),
      showLog: () => log.show(),
    }),
    vscode.window.onDidChangeActiveTextEditor(refreshStatus),
    vscode.languages.onDidChangeDiagnostics(refreshStatus),
    vscode.workspace.onDidChangeWorkspaceFolders(refreshStatus),
    context.secrets.onDidChange(refreshStatus),
  );
  refreshStatus();
}

function localFolder(): string | undefined {
  const folder = vscode.workspace.workspaceFolders?.[0];
  return folder?.uri.scheme === "file" ? folder.uri.fsPath : undefined;
}

function askWords(hasSelection: boolean): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: "Arbor: Ask Agent",
    placeHolder: "What should we work on?",
    ...(hasSelection && { prompt: "The selection is attached." }),
  });
}
