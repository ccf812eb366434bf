import * as vscode from "vscode";
import { type ShownActivity, statusText } from "./activityBoard.ts";

export interface StatusItem extends vscode.Disposable {
  show(activity: ShownActivity): void;
}

/** In the status bar while agents run or wait; a click shows what waits longest. */
export function createStatusItem(): StatusItem {
  const item = vscode.window.createStatusBarItem("arbor.activity", vscode.StatusBarAlignment.Left, 0);
  item.name = "Arbor";
  item.command = "arbor.showWaiting";
  return {
    show(activity) {
      const words = statusText(activity);
      void vscode.commands.executeCommand("setContext", "arbor.waiting", activity.waiting.length > 0);
      if (words === undefined) {
        item.hide();
        return;
      }
      item.text = words.text;
      item.tooltip = words.tooltip;
      item.accessibilityInformation = { label: words.label, role: "button" };
      item.show();
    },
    dispose: () => item.dispose(),
  };
}
