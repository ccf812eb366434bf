import * as vscode from "vscode";

/**
 * What is selected in the active terminal. The editor gives it to extensions by way of the clipboard alone, which has
 * afterwards what it had before.
 */
export async function terminalSelection(): Promise<string | undefined> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  try {
    await clipboard.writeText("");
    await vscode.commands.executeCommand("workbench.action.terminal.copySelection");
    const selected = await clipboard.readText();
    return selected === "" ? undefined : selected;
  } finally {
    await clipboard.writeText(before);
  }
}
