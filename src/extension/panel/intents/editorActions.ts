import * as vscode from "vscode";
import { assertNever } from "../../../agent/vocabulary/errors.ts";
import type { NoticeAction } from "../../../protocol/hostEvents.ts";
import { conflictMessage, undoConflictMessage } from "../../changes/editor/questions.ts";
import { activeFile, insertAtCursor, showFile } from "../../chat/compose/editorContext.ts";
import { demoModel } from "../../demo/demoModel.ts";
import { modelName } from "../../models/catalog.ts";
import type { ModelCommands } from "../../models/modelCommands.ts";
import { resolvePath, resolveUri } from "../../workspace/editorRoots.ts";
import type { EditorActions } from "./intentHandlers.ts";

export interface EditorActionDependencies {
  modelCommands: ModelCommands;
  showLog(): void;
}

/** What intents do in the editor. */
export function editorActions(dependencies: EditorActionDependencies): EditorActions {
  return {
    openExternal: async (url) => void (await vscode.env.openExternal(vscode.Uri.parse(url, true))),
    showFile: async (path, line) => showFile((await resolvePath(path)).uri, line),
    copy: async (text) => vscode.env.clipboard.writeText(text),
    insertAtCursor,
    execute: async (command) => void (await vscode.commands.executeCommand(command)),
    isTrusted: () => vscode.workspace.isTrusted,
    activeFile: () => activeFile((uri) => resolveUri(uri)?.path),
    conflictText: conflictMessage,
    undoConflictText: undoConflictMessage,
    actOnNotice: (action) => actOnNotice(action, dependencies),
    selectModel: dependencies.modelCommands.selectModel,
    pickModel: dependencies.modelCommands.pickModel,
  };
}

/** What the buttons of a notice do; retrying, resuming and forking are the chat's own. */
async function actOnNotice(action: NoticeAction, { modelCommands, showLog }: EditorActionDependencies): Promise<void> {
  switch (action) {
    case "setUp":
      return modelCommands.setUp();
    case "useDemo":
      return modelCommands.selectModel(modelName(demoModel));
    case "selectModel":
      return modelCommands.selectModel();
    case "setApiKey":
      return modelCommands.setApiKey();
    case "openSettings":
      await vscode.commands.executeCommand("workbench.action.openSettings", "@ext:arbor.arbor-agent");
      return;
    case "showLog":
      return showLog();
    case "openFolder":
      await vscode.commands.executeCommand("vscode.openFolder");
      return;
    case "retry":
    case "resume":
    case "fork":
    case "continueHere":
    case "compact":
    case "limitCost":
    case "noCostLimit":
      return;
    default:
      return assertNever(action);
  }
}
