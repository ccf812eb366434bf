import * as vscode from "vscode";

/** What Arbor's commands do; each gets the command's argument. */
export interface ArborCommands {
  ask(input: unknown): Promise<unknown>;
  newChat(input: unknown): Promise<unknown>;
  stop(agentId: unknown): Promise<unknown>;
  setApiKey(input: unknown): Promise<unknown>;
  removeApiKey(input: unknown): Promise<unknown>;
  selectModel(input: unknown): Promise<unknown>;
  selectSubAgentModel(input: unknown): Promise<unknown>;
  findLocalModels(input: unknown): Promise<unknown>;
  setUp(input: unknown): Promise<unknown>;
  focusTree(input: unknown): Promise<unknown>;
  /** Shows what waits longest for the user. */
  showWaiting(input: unknown): Promise<unknown>;
  /** Answer what the panel shows. */
  acceptApproval(input: unknown): Promise<unknown>;
  rejectApproval(input: unknown): Promise<unknown>;
  showLog(): void;
  openHistory(input: unknown): Promise<unknown>;
  openInEditor(input: unknown): Promise<unknown>;
  exportChat(input: unknown): Promise<unknown>;
  importChat(input: unknown): Promise<unknown>;
  deleteAllData(input: unknown): Promise<unknown>;
  /** Of the side-bar view's menu: they act there, whichever tab is active. */
  "view.newChat"(input: unknown): Promise<unknown>;
  "view.openHistory"(input: unknown): Promise<unknown>;
  "view.exportChat"(input: unknown): Promise<unknown>;
  "view.importChat"(input: unknown): Promise<unknown>;
}

export function registerCommands(commands: ArborCommands): vscode.Disposable {
  const register = (name: keyof ArborCommands) =>
    vscode.commands.registerCommand(`arbor.${name}`, (input: unknown) => commands[name](input));
  return vscode.Disposable.from(
    register("ask"),
    register("newChat"),
    register("stop"),
    register("setApiKey"),
    register("removeApiKey"),
    register("selectModel"),
    register("selectSubAgentModel"),
    register("findLocalModels"),
    register("setUp"),
    register("focusTree"),
    register("showWaiting"),
    register("acceptApproval"),
    register("rejectApproval"),
    register("showLog"),
    register("openHistory"),
    register("openInEditor"),
    register("exportChat"),
    register("importChat"),
    register("deleteAllData"),
    register("view.newChat"),
    register("view.openHistory"),
    register("view.exportChat"),
    register("view.importChat"),
  );
}
