import * as vscode from "vscode";
import { assertNever } from "../../../agent/index.ts";
import type { NoticeAction } from "../../../protocol/hostEvents.ts";
import { demoModel } from "../../demo/demoModel.ts";
import { modelName } from "../../models/catalog.ts";
import type { ModelCommands } from "../../models/modelCommands.ts";

export interface NoticeActionDependencies {
  modelCommands: ModelCommands;
  showLog(): void;
}

/** What the buttons of a notice do; retrying, resuming and forking are the chat's own. */
export function noticeActions({ modelCommands, showLog }: NoticeActionDependencies) {
  return async (action: NoticeAction): Promise<void> => {
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
        return;
      default:
        return assertNever(action);
    }
  };
}
