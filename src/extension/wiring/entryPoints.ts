import * as vscode from "vscode";
import { createAsk } from "../chat/compose/ask.ts";
import { chatViewId, focusPanel, revealPanel } from "../panel/chatView.ts";
import { registerEditorEntries } from "../panel/entryPoints/editorEntries.ts";
import type { Chatting } from "./chatting.ts";
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
    // What waits longest for the user, and the answers to what the panel shows.
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
    // Of the side-bar view's menu: they act there, whichever tab is active.
    "view.newChat": reported(async () => conversationOf(panels.view).startNew()),
    "view.openHistory": reported(async () => panels.view.send({ type: "focus", target: "history" })),
    "view.exportChat": reported(async () => history.handlers.exportChat({ type: "exportChat" }, panels.view)),
    "view.importChat": reported(async () => history.handlers.importChat({ type: "importChat" }, panels.view)),
    openInEditor: reported(async () => history.handlers.openInEditor({ type: "openInEditor" }, panels.view)),
    exportChat: reported(async () => history.handlers.exportChat({ type: "exportChat" }, panels.active)),
    importChat: reported(async () => history.handlers.importChat({ type: "importChat" }, panels.active)),
    deleteAllData: reported(deleteAll),
  };
}

/**
 * Whether a command's argument comes from a program or a keybinding, which hear of a failure by themselves: both give
 * plain data. The palette gives nothing, and menus an object of the editor's.
 */
function isFromProgram(input: unknown): boolean {
  if (typeof input === "string") return true;
  return typeof input === "object" && input !== null && Object.getPrototypeOf(input) === Object.prototype;
}

/** What Arbor's commands do, by their names without `arbor.`; each gets the command's argument. */
type ArborCommands = Readonly<Record<string, (input: unknown) => unknown>>;

function registerCommands(commands: ArborCommands): vscode.Disposable {
  const registered = Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(`arbor.${name}`, (input: unknown) => run(input)),
  );
  return vscode.Disposable.from(...registered);
}
