import * as vscode from "vscode";

/**
 * What is selected in the active terminal. The editor gives it to extensions by way of the clipboard alone, which has
 * afterwards what it had before. Undefined without a selection, and where a browser lets nobody read the clipboard.
 */
export async function terminalSelection(): Promise<string | undefined> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  // What can't be read can't be given back either, so it is not cleared.
  if (before !== "") await clipboard.writeText("");
  let selected = "";
  try {
    await vscode.commands.executeCommand("workbench.action.terminal.copySelection");
    selected = await clipboard.readText();
  } finally {
    if (before !== "" || selected !== "") await clipboard.writeText(before);
  }
  return selected === "" ? undefined : selected;
}
