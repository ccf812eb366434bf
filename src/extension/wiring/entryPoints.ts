import * as vscode from "vscode";
import { createAsk } from "../chat/compose/ask.ts";
import { chatViewId } from "../panel/chatView.ts";
import { isFromProgram } from "../panel/entryPoints/callers.ts";
import { registerEditorEntries } from "../panel/entryPoints/editorEntries.ts";
import { focusPanel, revealPanel } from "../panel/revealPanel.ts";
import type { Chatting } from "./chatting.ts";
import { type ArborCommands, registerCommands } from "./commands.ts";
import type { Host } from "./host.ts";
import type { Models } from "./models.ts";

/** Where the user and the editor reach Arbor. */
export function registerEntryPoints(host: Host, models: Models, chatting: Chatting) {
  const { context, own, pathOf, reportFailure } = host;
  const { panels, composing, conversationOf, view, refreshStatus } = chatting;
  // A tab that is active is in view as it is.
  const reveal = async () => {
    if (panels.active === panels.view) await revealPanel();
    panels.active.send({ type: "showConversation" });
  };
  const ask = createAsk({ conversationOf: () => conversationOf(panels.active), composing, pathOf, reveal });
  own(vscode.window.registerWebviewViewProvider(chatViewId, view));
  own(registerEditorEntries({ ask, pathOf, reportFailure }));
  own(registerCommands(commandsOf({ host, models, chatting, ask })));
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

interface CommandParts {
  host: Host;
  models: Models;
  chatting: Chatting;
  ask: ReturnType<typeof createAsk>;
}

function commandsOf({ host: { log, reportFailure }, models, chatting, ask }: CommandParts): ArborCommands {
  const { panels, history, ready, deleteAll, conversationOf, activity } = chatting;
  const reported =
    <Result>(command: (input: unknown) => Promise<Result>) =>
    (input: unknown): Promise<Result | undefined> =>
      // The panel shows by then the chat that it showed before the window was reloaded.
      ready
        .then(() => command(input))
        .catch((error: unknown) => {
          if (isFromProgram(input)) throw error;
          reportFailure(error);
          return undefined;
        });
  return {
    ask: reported(ask),
    newChat: reported(async () => conversationOf(panels.active).startNew()),
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
    "view.newChat": reported(async () => conversationOf(panels.view).startNew()),
    "view.openHistory": reported(async () => panels.view.send({ type: "focus", target: "history" })),
    "view.exportChat": reported(() => history.carryOut({ type: "exportChat" }, panels.view)),
    "view.importChat": reported(() => history.carryOut({ type: "importChat" }, panels.view)),
    openInEditor: reported(() => history.carryOut({ type: "openInEditor" }, panels.view)),
    exportChat: reported(() => history.carryOut({ type: "exportChat" }, panels.active)),
    importChat: reported(() => history.carryOut({ type: "importChat" }, panels.active)),
    deleteAllData: reported(deleteAll),
  };
}
