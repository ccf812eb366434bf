import * as vscode from "vscode";
import { settingKeys } from "./settings.ts";

/** Where a workspace's value would decide what runs on this machine, or where a key is sent. */
const userOnly = new Set(["arbor.providers", "arbor.search.ripgrepPath"]);

/** What somebody set, by full name. A setting that nobody set is absent, so that its default can be told from a choice. */
export function readSettings(): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration();
  const raw: Record<string, unknown> = {};
  for (const key of settingKeys) {
    const found = configuration.inspect(key);
    if (found === undefined) continue;
    const workspaceValue = userOnly.has(key) ? undefined : (found.workspaceFolderValue ?? found.workspaceValue);
    const value = workspaceValue ?? found.globalValue;
    if (value !== undefined) raw[key] = value;
  }
  return raw;
}

/** Calls back after each change of an Arbor setting. */
export function onDidChangeSettings(listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration("arbor")) listener();
  });
}

/** Writes the main model to the user's settings. */
export async function writeModel(model: string): Promise<void> {
  await vscode.workspace.getConfiguration().update("arbor.model", model, vscode.ConfigurationTarget.Global);
}
