import * as vscode from "vscode";

/** The editor shows an empty side bar until somebody opens the view in it. */
export async function activate() {
  await vscode.commands.executeCommand("arbor.chat.focus");
}
