import * as vscode from "vscode";
import { chatViewId } from "./chatView.ts";

/** Brings the panel into view; the caret stays where the user types. */
export async function revealPanel(): Promise<void> {
  await vscode.commands.executeCommand(`${chatViewId}.focus`, { preserveFocus: true });
}

/** Brings the panel into view and puts the caret into it. */
export async function focusPanel(): Promise<void> {
  await vscode.commands.executeCommand(`${chatViewId}.focus`);
}
