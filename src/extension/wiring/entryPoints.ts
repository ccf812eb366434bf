import * as vscode from "vscode";
import { createAsk } from "../chat/compose/ask.ts";
import { chatViewId, focusPanel, revealPanel } from "../panel/chatView.ts";
import { createEditorEntries, provideFixActions } from "../panel/entryPoints/editorEntries.ts";
import type { Chatting } from "./chatting.ts";
import { chatCommands } from "./commands/chatCommands.ts";
import type { CommandDefinition, CommandParts } from "./commands/defineCommand.ts";
import { editCommands } from "./commands/editCommands.ts";
import { editorCommands } from "./commands/editorCommands.ts";
import { startCommands } from "./commands/startCommands.ts";
import { createDoctor } from "./doctor.ts";
import type { Editing } from "./editing.ts";
import type { Host } from "./host.ts";
import type { Mcp } from "./mcp.ts";
import type { Models } from "./models.ts";
import type { OtherExtensions } from "./otherExtensions.ts";

/** Where the user and the editor reach Arbor. */
export function registerEntryPoints(
  host: Host,
  models: Models,
  editing: Editing,
  chatting: Chatting,
  mcp: Mcp,
  extensions: OtherExtensions,
) {
  const { context, log, own, pathOf, reportFailure } = host;
  const { panels, composing, conversationOf, view, refreshStatus } = chatting;
  // A tab that is active is in view as it is.
  const reveal = async () => {
    if (panels.active === panels.view) await revealPanel();
    panels.active.send({ type: "showConversation" });
  };
  const ask = createAsk({ conversationOf: () => conversationOf(panels.active), composing, pathOf, reveal });
  const entries = createEditorEntries({ ask, pathOf });
  const doctor = createDoctor(host, models, chatting.countChats);
  const { review, isolation } = editing;
  const { executeCommand: execute } = vscode.commands;
  const parts = {
    log,
    commands: models.commands,
    review,
    isolation,
    chatting,
    mcp,
    doctor,
    ask,
    entries,
    execute,
    focusPanel,
  };
  extensions.offer(async (input, signal) => {
    await chatting.ready;
    return ask(input, signal);
  });
  own(vscode.window.registerWebviewViewProvider(chatViewId, view));
  own(provideFixActions(pathOf));
  own(registerCommands(chatCommands, parts, onceRestored(chatting.ready, reportFailure)));
  own(registerCommands([...editCommands, ...editorCommands, ...startCommands], parts, reported(reportFailure)));
  own(
    vscode.Disposable.from(
      models.onDidChange(refreshStatus),
      mcp.onDidChange(refreshStatus),
      extensions.onDidChange(refreshStatus),
      context.secrets.onDidChange(refreshStatus),
      vscode.window.onDidChangeActiveTextEditor(refreshStatus),
      vscode.window.tabGroups.onDidChangeTabs(refreshStatus),
      vscode.languages.onDidChangeDiagnostics(refreshStatus),
      vscode.workspace.onDidChangeWorkspaceFolders(refreshStatus),
    ),
  );
  refreshStatus();
}

/** When a command starts, and what becomes of its failure. */
type Guard = (run: () => unknown, input: unknown) => Promise<unknown>;

/** The only caller of the editor's `registerCommand`. */
function registerCommands(
  commands: readonly CommandDefinition[],
  parts: CommandParts,
  guard: Guard,
): vscode.Disposable {
  const registered = commands.map(({ id, run }) =>
    vscode.commands.registerCommand(id, (...input: unknown[]) => guard(() => run(parts, ...input), input[0])),
  );
  return vscode.Disposable.from(...registered);
}

/** Once the panel shows the chat that it showed before the window was reloaded. A program gets its failure itself. */
function onceRestored(ready: Promise<void>, reportFailure: Host["reportFailure"]): Guard {
  return (run, input) =>
    ready.then(run).catch((error: unknown) => {
      if (isFromProgram(input)) throw error;
      reportFailure(error);
      return undefined;
    });
}

function reported(reportFailure: Host["reportFailure"]): Guard {
  return async (run) => {
    try {
      return await run();
    } catch (error) {
      reportFailure(error);
      return undefined;
    }
  };
}

/**
 * Whether a command's argument comes from a program or a keybinding, to which the editor reports a failure: both give
 * plain data. The palette gives nothing, and menus an object of the editor's.
 */
function isFromProgram(input: unknown): boolean {
  if (typeof input === "string") return true;
  return typeof input === "object" && input !== null && Object.getPrototypeOf(input) === Object.prototype;
}
