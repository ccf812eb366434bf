import * as vscode from "vscode";

const names = [
  "ask",
  "newChat",
  "stop",
  "setApiKey",
  "removeApiKey",
  "selectModel",
  "selectSubAgentModel",
  "findLocalModels",
  "setUp",
  "focusTree",
  // What waits longest for the user, and the answers to what the panel shows.
  "showWaiting",
  "acceptApproval",
  "rejectApproval",
  "showLog",
  "openHistory",
  "openInEditor",
  "exportChat",
  "importChat",
  "deleteAllData",
  // Of the side-bar view's menu: they act there, whichever tab is active.
  "view.newChat",
  "view.openHistory",
  "view.exportChat",
  "view.importChat",
] as const;

/** What Arbor's commands do; each gets the command's argument. */
export type ArborCommands = Record<(typeof names)[number], (input: unknown) => unknown>;

/** Registers them under `arbor.`. */
export function registerCommands(commands: ArborCommands): vscode.Disposable {
  return vscode.Disposable.from(
    ...names.map((name) => vscode.commands.registerCommand(`arbor.${name}`, (input: unknown) => commands[name](input))),
  );
}
